package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// released is set by the linker for a release: -X main.released=1.2.3.
var released string

// version is the release, or what Go's module system knows of this build.
func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// versionCmd prints the version.
type versionCmd struct {
	JSON bool `name:"json" help:"As a JSON object."`
}

func (c *versionCmd) run(s streams) (int, error) {
	if !c.JSON {
		_, err := fmt.Fprintf(s.out, "openload %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return 0, err
	}
	e := json.NewEncoder(s.out)
	e.SetIndent("", "  ")
	return 0, e.Encode(map[string]string{
		"tool": "openload", "version": version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
	})
}
