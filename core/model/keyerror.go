package model

import "fmt"

// KeyError is a value that no model can have, or a name no catalogue entry
// has. Key is the key as its author wrote it: a study key below "model."
// ("kv_heads") or a key of config.json ("num_key_value_heads"). It is "" when
// the text as a whole is at fault.
type KeyError struct {
	Key   string
	Value any    // nil when there is none, as for a missing key
	Rule  string // "must divide heads = 32", "is missing"
	Hint  string // how to mend it; "" = the rule says it
}

func (e *KeyError) Error() string {
	s := e.Rule
	switch {
	case e.Key != "" && e.Value != nil:
		s = fmt.Sprintf("%s = %.60s %s", e.Key, fmt.Sprint(e.Value), e.Rule)
	case e.Key != "":
		s = e.Key + " " + e.Rule
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}
