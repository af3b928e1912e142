// Package browser looks at openload's HTML report as its reader does: in Chromium,
// without a network. It is a module of its own, so that openload needs no browser's
// protocol.
package browser
