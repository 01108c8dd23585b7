package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

const maxMessage = 64 << 20

// stream is one ADS stream with one subscription. All but the guarded fields belong to the reader of its connection.
type stream struct {
	fleet *fleet
	index int
	names []int // positions in the served set, ascending; nil: wildcard

	conn    *conn
	id      uint32
	window  int    // the peer's, guarded by conn.mu
	pending []byte // guarded by conn.mu
	unread  int

	prefix  []byte // of a message that has not come whole
	message []byte
	missing int

	version     string // last accepted, sent again in a NACK and after a reconnect
	generations []int32
	refusals    int
	over        bool

	mu    sync.Mutex
	watch *watch
}

// watch is what one stream still has to see of an arm.
type watch struct {
	arm     *arm
	want    int // changed resources this stream asked for
	counted int
	lag     int // names whose generation is still too old; used where contents are looked at
}

// data takes bytes of gRPC messages in any slicing.
func (s *stream) data(chunk []byte) error {
	for len(chunk) > 0 {
		if s.missing == 0 {
			take := min(5-len(s.prefix), len(chunk))
			s.prefix = append(s.prefix, chunk[:take]...)
			chunk = chunk[take:]
			if len(s.prefix) < 5 {
				return nil
			}
			length := int(binary.BigEndian.Uint32(s.prefix[1:]))
			if s.prefix[0] != 0 || length > maxMessage {
				return fmt.Errorf("message with flag %d and %d bytes", s.prefix[0], length)
			}
			s.prefix = s.prefix[:0]
			if length <= len(chunk) {
				if err := s.handle(chunk[:length]); err != nil {
					return err
				}
				chunk = chunk[length:]
				continue
			}
			s.message, s.missing = buffers.take(length), length
		}
		take := min(s.missing, len(chunk))
		s.message = append(s.message, chunk[:take]...)
		s.missing -= take
		chunk = chunk[take:]
		if s.missing == 0 {
			err := s.handle(s.message)
			buffers.give(s.message)
			s.message = nil
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// handle reads one response, answers it as Envoy does, and notes what it brought.
func (s *stream) handle(message []byte) error {
	f := s.fleet
	s.mu.Lock()
	w := s.watch
	s.mu.Unlock()
	delta := f.options.delta()
	remember := delta && s.index == 0
	// Looking into each resource of each stream would cost the client more than a good server spends, so the
	// version and the number speak for most streams and every fiftieth is read in full.
	look := w != nil && (w.arm.version == "" || s.index%50 == 0)
	r, ok := decode(message, delta, func(resource []byte) {
		if remember {
			f.remember(named(resource))
		}
		if look {
			s.see(w, resource)
		}
	})
	if !ok || string(r.typeURL) != f.options.typeURL() {
		return fmt.Errorf("unreadable response of type %q", r.typeURL)
	}
	f.responses.Add(1)
	f.resources.Add(int64(r.resources))
	f.bytes.Add(int64(len(message)))
	answer := request{delta: delta, typeURL: f.options.typeURL(), nonce: string(r.nonce), version: string(r.version)}
	if !delta {
		answer.names = f.options.namesOf(s.names)
	}
	if f.refuse.Load() {
		if s.refusals++; s.refusals > f.options.MaxRefusals {
			return nil
		}
		answer.refusal, answer.version = "refused by the benchmark", s.version
		f.refusals.Add(1)
	} else {
		s.version = string(r.version)
	}
	if err := s.conn.send(s, answer.encode()); err != nil {
		return err
	}
	if w != nil {
		s.judge(w, r, delta)
	}
	return nil
}

// see notes the generation of one resource.
func (s *stream) see(w *watch, resource []byte) {
	position, generation, ok := markOf(resource)
	if !ok {
		return
	}
	at := position
	if s.names != nil {
		if at, ok = slices.BinarySearch(s.names, position); !ok {
			return
		}
	}
	if at >= len(s.generations) {
		return
	}
	wanted := w.arm.expected[position]
	if s.generations[at] < wanted && generation >= wanted {
		w.lag--
	}
	s.generations[at] = generation
}

// judge decides whether the stream now has all that the arm waits for.
func (s *stream) judge(w *watch, r response, delta bool) {
	done := false
	switch {
	case w.arm.any:
		done = true
	case w.arm.version == "" || s.index%50 == 0:
		done = w.lag <= 0
	case string(r.version) == w.arm.version:
		w.counted += r.resources
		done = w.counted >= w.want
		if !delta {
			done = r.resources >= w.want
		}
	}
	if done {
		s.mu.Lock()
		s.watch = nil
		s.mu.Unlock()
		w.arm.finish(time.Now())
	}
}

func (s *stream) ended(reason string) {
	if !s.over {
		s.over = true
		s.fleet.failed(reason)
	}
}

// markOf finds the position in the resource's name and the generation behind "~g".
func markOf(resource []byte) (position int, generation int32, ok bool) {
	for _, kind := range [][]byte{[]byte("cluster-"), []byte("endpoints-")} {
		if at := bytes.Index(resource, kind); at >= 0 && len(resource) >= at+len(kind)+6 {
			position, _ = strconv.Atoi(string(resource[at+len(kind) : at+len(kind)+6]))
			break
		}
	}
	at := bytes.Index(resource, []byte("~g"))
	if at < 0 || len(resource) < at+8 {
		return 0, 0, false
	}
	value, err := strconv.Atoi(string(resource[at+2 : at+8]))
	return position, int32(value), err == nil
}
