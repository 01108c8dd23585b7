package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// options say what the fleet of streams looks like.
type options struct {
	Address     string `json:"address"`
	TLS         string `json:"tls"` // directory with certificates, "" for plain text
	Protocol    string `json:"protocol"`
	Set         string `json:"set"`
	Count       int    `json:"count"` // resources served
	Each        int    `json:"each"`  // names a stream asks for; 0 is the wildcard
	Streams     int    `json:"streams"`
	PerConn     int    `json:"perConn"`     // streams on one connection
	AtOnce      int    `json:"atOnce"`      // connections being made at one time
	MaxRefusals int    `json:"maxRefusals"` // a stream falls silent after this many NACKs
}

func (o *options) delta() bool { return o.Protocol == "delta" }

func (o *options) path() string {
	if o.delta() {
		return "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources"
	}
	return "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
}

func (o *options) typeURL() string {
	if o.Set == "clusters" {
		return "type.googleapis.com/envoy.config.cluster.v3.Cluster"
	}
	return "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
}

func (o *options) namesOf(positions []int) []string {
	names := make([]string, len(positions))
	for i, position := range positions {
		names[i] = o.name(position)
	}
	return names
}

func (o *options) name(position int) string {
	if o.Set == "clusters" {
		return fmt.Sprintf("cluster-%06d", position)
	}
	return fmt.Sprintf("endpoints-%06d", position)
}

// arm is one thing to wait for on all streams.
type arm struct {
	version  string  // "": look at the contents of each response
	any      bool    // any answer will do
	expected []int32 // generation each resource must have reached; 0: does not matter

	mu       sync.Mutex
	finished []time.Time
	waiting  int
	done     chan struct{}
}

func (a *arm) finish(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finished = append(a.finished, at)
	if a.waiting--; a.waiting == 0 {
		close(a.done)
	}
}

// fleet is all the streams of one session.
type fleet struct {
	options options
	tls     *tls.Config
	streams []*stream
	arm     *arm

	refuse                                atomic.Bool
	responses, resources, bytes, refusals atomic.Int64
	failures                              atomic.Int64
	closing                               atomic.Bool
	mu                                    sync.Mutex
	conns                                 []*conn
	readers                               sync.WaitGroup
	firstFailure                          string
	versions                              map[string]string // what delta streams know, for the reconnect
}

func newFleet(o options) (*fleet, error) {
	f := &fleet{options: o, versions: map[string]string{}}
	if o.TLS != "" {
		config, err := clientTLS(o.TLS)
		if err != nil {
			return nil, err
		}
		f.tls = config
	}
	for i := range o.Streams {
		s := &stream{fleet: f, index: i}
		s.generations = make([]int32, o.Count)
		if o.Each > 0 {
			s.names = rand.New(rand.NewPCG(uint64(i), 7)).Perm(o.Count)[:o.Each]
			slices.Sort(s.names)
			s.generations = make([]int32, o.Each)
		}
		f.streams = append(f.streams, s)
	}
	return f, nil
}

// prepare sets what to wait for; call it while nothing is in flight. It returns the number of streams concerned.
func (f *fleet) prepare(a *arm) int {
	a.done = make(chan struct{})
	f.arm = a
	for _, s := range f.streams {
		w := &watch{arm: a}
		s.each(func(at, position int) {
			if a.expected[position] == 0 {
				return
			}
			w.want++
			if s.generations[at] < a.expected[position] {
				w.lag++
			}
		})
		s.mu.Lock()
		s.watch = nil
		if a.any || w.want > 0 {
			s.watch = w
			a.waiting++
		}
		s.mu.Unlock()
	}
	if a.waiting == 0 {
		close(a.done)
	}
	return a.waiting
}

func (s *stream) each(visit func(at, position int)) {
	if s.names == nil {
		for i := range s.generations {
			visit(i, i)
		}
		return
	}
	for at, position := range s.names {
		visit(at, position)
	}
}

// connect opens all connections and streams; again says that the streams remember what they had.
func (f *fleet) connect(again bool) error {
	f.closing.Store(false)
	f.mu.Lock()
	known := maps.Clone(f.versions)
	f.mu.Unlock()
	slots := make(chan struct{}, f.options.AtOnce)
	failures := make(chan error, 1)
	var group sync.WaitGroup
	for from := 0; from < len(f.streams); from += f.options.PerConn {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if err := f.connectSome(f.streams[from:min(from+f.options.PerConn, len(f.streams))], again, known); err != nil {
				select {
				case failures <- err:
				default:
				}
			}
		})
	}
	group.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

func (f *fleet) connectSome(streams []*stream, again bool, known map[string]string) error {
	c, err := dial(f.options.Address, f.tls)
	if err != nil {
		return err
	}
	for _, s := range streams {
		s.over, s.prefix, s.message, s.missing, s.unread, s.pending = false, nil, nil, 0, 0, nil
		first := request{first: true, delta: f.options.delta(), typeURL: f.options.typeURL(), names: f.options.namesOf(s.names)}
		if again {
			first.version, first.initial = s.version, known
		}
		if err := c.open(s, f.options.path(), first.encode()); err != nil {
			c.raw.Close()
			return err
		}
	}
	f.mu.Lock()
	f.conns = append(f.conns, c)
	f.mu.Unlock()
	f.readers.Go(func() {
		err := c.read()
		c.raw.Close()
		for _, s := range streams {
			s.ended(err.Error())
		}
	})
	return nil
}

// drop closes all connections without a word, as a network that goes away.
func (f *fleet) drop() {
	f.closing.Store(true)
	f.mu.Lock()
	conns := f.conns
	f.conns = nil
	f.mu.Unlock()
	for _, c := range conns {
		c.raw.Close()
	}
	f.readers.Wait()
}

type outcome struct {
	Waited   int     `json:"waited"`  // streams that had something to wait for
	Missing  int     `json:"missing"` // of these, how many still wait
	First    float64 `json:"first"`   // milliseconds since the epoch
	Median   float64 `json:"median"`
	Last     float64 `json:"last"`
	Failures int64   `json:"failures"`
	Failure  string  `json:"failure,omitempty"`
}

func (f *fleet) wait(timeout time.Duration) (outcome, error) {
	if f.arm == nil {
		return outcome{}, errors.New("nothing to wait for")
	}
	select {
	case <-f.arm.done:
	case <-time.After(timeout):
	}
	f.arm.mu.Lock()
	defer f.arm.mu.Unlock()
	finished := f.arm.finished
	f.mu.Lock()
	o := outcome{Waited: len(finished) + f.arm.waiting, Missing: f.arm.waiting, Failures: f.failures.Load(), Failure: f.firstFailure}
	f.mu.Unlock()
	if len(finished) > 0 {
		slices.SortFunc(finished, time.Time.Compare)
		o.First, o.Median, o.Last = epochMillis(finished[0]), epochMillis(finished[len(finished)/2]), epochMillis(finished[len(finished)-1])
	}
	return o, nil
}

func (f *fleet) remember(name, version []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.versions[string(name)] = string(version)
}

func (f *fleet) failed(reason string) {
	if f.closing.Load() {
		return
	}
	f.failures.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.firstFailure == "" {
		f.firstFailure = reason
	}
}

func epochMillis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

// buffers keeps the large message buffers, which the collector would otherwise throw away between pushes.
var buffers bufferPool

type bufferPool struct {
	mu   sync.Mutex
	free [][]byte
}

func (p *bufferPool) take(length int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 && cap(p.free[n-1]) >= length {
		buffer := p.free[n-1][:0]
		p.free = p.free[:n-1]
		return buffer
	}
	return make([]byte, 0, length+length/8)
}

func (p *bufferPool) give(buffer []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, buffer)
}
