package main

import "google.golang.org/protobuf/encoding/protowire"

// Field numbers of envoy.service.discovery.v3 and google.rpc.Status; the client needs no generated message for these.

type request struct {
	first   bool // the node is sent once per stream, as Envoy does
	delta   bool
	typeURL string
	version string
	nonce   string
	names   []string          // state of the world: all; delta: newly subscribed
	initial map[string]string // delta only, first request after a reconnect
	refusal string            // not empty: a NACK with this text
}

func (r *request) encode() []byte {
	number := func(sotw, delta protowire.Number) protowire.Number {
		if r.delta {
			return delta
		}
		return sotw
	}
	out := make([]byte, 5, 256) // gRPC's prefix: uncompressed, length filled in below
	if r.version != "" && !r.delta {
		out = appendText(out, 1, r.version)
	}
	if r.first {
		node := appendText(nil, 1, "bench")
		node = appendText(node, 2, "bench")
		node = appendText(node, 6, "envoy")
		out = appendBytes(out, number(2, 1), node)
	}
	for _, name := range r.names {
		out = appendText(out, number(3, 3), name)
	}
	out = appendText(out, number(4, 2), r.typeURL)
	for name, version := range r.initial {
		entry := appendText(nil, 1, name)
		out = appendBytes(out, 5, appendText(entry, 2, version))
	}
	if r.nonce != "" {
		out = appendText(out, number(5, 6), r.nonce)
	}
	if r.refusal != "" {
		status := protowire.AppendTag(nil, 1, protowire.VarintType)
		status = protowire.AppendVarint(status, 13)
		out = appendBytes(out, number(6, 7), appendText(status, 2, r.refusal))
	}
	length := len(out) - 5
	out[1], out[2], out[3], out[4] = byte(length>>24), byte(length>>16), byte(length>>8), byte(length)
	return out
}

type response struct {
	version, typeURL, nonce []byte
	resources, removed      int
}

// decode walks a response once; each sees every resource: an Any in state of the world, a Resource in delta.
func decode(message []byte, delta bool, each func(resource []byte)) (response, bool) {
	var r response
	for len(message) > 0 {
		number, wireType, n := protowire.ConsumeTag(message)
		if n < 0 {
			return r, false
		}
		message = message[n:]
		if wireType != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, wireType, message); n < 0 {
				return r, false
			}
			message = message[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(message)
		if n < 0 {
			return r, false
		}
		message = message[n:]
		switch {
		case number == 1:
			r.version = value
		case number == 2:
			r.resources++
			each(value)
		case number == 4:
			r.typeURL = value
		case number == 5:
			r.nonce = value
		case number == 6 && delta:
			r.removed++
		}
	}
	return r, true
}

// named reads name (3) and version (1) of a delta Resource.
func named(resource []byte) (name, version []byte) {
	for len(resource) > 0 {
		number, wireType, n := protowire.ConsumeTag(resource)
		if n < 0 || wireType != protowire.BytesType {
			return
		}
		value, m := protowire.ConsumeBytes(resource[n:])
		if m < 0 {
			return
		}
		resource = resource[n+m:]
		if number == 1 {
			version = value
		} else if number == 3 {
			name = value
		}
	}
	return
}

func appendText(out []byte, number protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(out, number, protowire.BytesType), text)
}

func appendBytes(out []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), value)
}
