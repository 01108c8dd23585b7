// Reads lines {"type": name, "json": message} and answers each with a line {"parsed", "bytes", "violations", "error"}: what
// protojson, deterministic marshalling and the generated validators of go-control-plane make of it. For tests that compare.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"

	_ "chancery/protos/generator/api"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"
)

type question struct {
	Type string          `json:"type"`
	Json json.RawMessage `json:"json"`
}

type answer struct {
	Parsed     bool     `json:"parsed"`
	Bytes      []byte   `json:"bytes"`
	Violations []string `json:"violations"`
	Error      string   `json:"error"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if err := encoder.Encode(judge(q)); err != nil {
			panic(err)
		}
	}
}

func judge(q question) answer {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(q.Type))
	if err != nil {
		panic(err)
	}
	message := kind.New().Interface()
	if err := protojson.Unmarshal(q.Json, message); err != nil {
		return answer{Error: err.Error()}
	}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		return answer{Error: err.Error()}
	}
	violations := []string{}
	validate(message, &violations)
	return answer{Parsed: true, Bytes: bytes, Violations: violations}
}

// validate checks a message and whatever is packed into an Any inside it.
func validate(m proto.Message, violations *[]string) {
	if v, ok := m.(interface{ ValidateAll() error }); ok {
		if err := v.ValidateAll(); err != nil {
			leaves(err, "", violations)
		}
	}
	eachAny(m.ProtoReflect(), func(a *anypb.Any) {
		if inner, err := a.UnmarshalNew(); err == nil && a.TypeUrl != "" {
			validate(inner, violations)
		}
	})
}

// leaves lists the violations of fields, without the lines that say a message inside was at fault.
func leaves(err error, prefix string, out *[]string) {
	if many, ok := err.(interface{ AllErrors() []error }); ok {
		for _, e := range many.AllErrors() {
			leaves(e, prefix, out)
		}
		return
	}
	field := ""
	if f, ok := err.(interface{ Field() string }); ok {
		field = prefix + f.Field()
	}
	if c, ok := err.(interface{ Cause() error }); ok && c.Cause() != nil {
		leaves(c.Cause(), field+".", out)
		return
	}
	reason := err.Error()
	if r, ok := err.(interface{ Reason() string }); ok {
		reason = r.Reason()
	}
	*out = append(*out, strings.TrimPrefix(field+": "+reason, ": "))
}

func eachAny(m protoreflect.Message, visit func(*anypb.Any)) {
	if a, ok := m.Interface().(*anypb.Any); ok {
		visit(a)
		return
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap():
			if field.MapValue().Message() != nil {
				value.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { eachAny(v.Message(), visit); return true })
			}
		case field.Message() == nil:
		case field.IsList():
			for i := 0; i < value.List().Len(); i++ {
				eachAny(value.List().Get(i).Message(), visit)
			}
		default:
			eachAny(value.Message(), visit)
		}
		return true
	})
}
