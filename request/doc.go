// Package request says what is sent: HTTP/1.1 requests, checked, serialised as far as
// they are known before the run, and redacted for reports. It makes the Request, the Mix
// of several and the Wire that turns attempts into bytes.
//
// The URL's path and query go out as they were typed; nothing is normalised or encoded.
// It opens no connection and resolves no name. What an operation sends depends on its
// number alone, so that shards of a run agree, and that every attempt sends the same.
package request
