package experiment

import "openload/plan"

// Key is the section's key of a plan file.
func Key() plan.Key {
	text, list := map[string]any{"type": "string"}, func(item map[string]any) map[string]any {
		return map[string]any{"anyOf": []any{item, map[string]any{"type": "array", "items": item}}}
	}
	hook := map[string]any{"anyOf": []any{text, map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"run"},
		"properties": map[string]any{"run": text, "timeout": text},
	}}}
	about := func(s map[string]any, doc string) map[string]any {
		c := map[string]any{"description": doc}
		for k, v := range s {
			c[k] = v
		}
		return c
	}
	return plan.Key{
		Name: Section, Form: plan.Sections, Doc: "Variants of this plan that 'openload experiment' compares; other commands leave it alone.",
		Of: map[string]any{
			"type": "object", "additionalProperties": false, "required": []string{"variants"},
			"properties": map[string]any{
				"variants": map[string]any{
					"type": "array", "minItems": 2, "maxItems": maxVariants, "description": "What is compared: each has a name and the keys of the plan that it says anew.",
					"items": map[string]any{"type": "object", "required": []string{"name"}, "properties": map[string]any{"name": text, "before": list(hook), "after": list(hook)}},
				},
				"repeats":  map[string]any{"type": "integer", "minimum": 1, "maximum": maxRepeats, "description": "Runs of each variant. Default: 4, the least with which a difference can reach 5 %."},
				"simulate": map[string]any{"type": "boolean", "description": "In virtual time, against the server that server: models."},
				"baseline": about(text, "The variant that the others are compared with. Default: the first."),
				"measures": about(list(text), "What is told of each run, such as attempts, settled.p50, peak, peak@10ms, server.duplicates."),
				"bin":      about(text, "The width at which peaks are counted. Default: 100ms."),
				"outcome":  about(list(map[string]any{"enum": outcomes}), "How at least one operation of each run must end, or one of several ways. Default: ok."),
				"pause":    about(text, "Between two runs."),
				"free":     about(list(text), "Addresses on which nobody may listen before the start."),
				"before":   about(list(hook), "Commands before every run."),
				"after":    about(list(hook), "Commands after every run, whatever happened, the last first."),
			},
		},
	}
}
