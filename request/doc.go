// Package request says what is sent: one HTTP/1.1 request, checked, serialised
// once before the run, and redacted for reports. It makes the Request.
//
// The URL's path and query go out as they were typed; nothing is normalised or
// encoded. It opens no connection and resolves no name, and one Request is the
// same for every operation.
package request
