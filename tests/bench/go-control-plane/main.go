// A plain go-control-plane server, the other side of the comparison: SnapshotCache, both protocols, all defaults.
// It reads one JSON command a line from standard input, answers on standard output, and ends with its input.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"runtime/debug"
	"time"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

type command struct {
	ID         int    `json:"id"`
	Cmd        string `json:"cmd"`
	Set        string `json:"set"`
	Count      int    `json:"count"`
	Change     string `json:"change"`
	Index      int    `json:"index"`
	Generation int    `json:"generation"`
	Rate       int    `json:"rate"`
	Seconds    int    `json:"seconds"`
}

// oneGroup gives every node the same snapshot, as proxies of one deployment share a node id.
type oneGroup struct{}

func (oneGroup) ID(*core.Node) string { return "bench" }

func main() {
	ads := flag.Bool("ads", true, "ADS mode of the snapshot cache")
	tlsDir := flag.String("tls", "", "directory with ca.pem, server.pem, server.key: mutual TLS")
	flag.Parse()
	ctx := context.Background()
	snapshots := cache.NewSnapshotCache(*ads, oneGroup{}, nil)
	options := []grpc.ServerOption{grpc.MaxConcurrentStreams(math.MaxUint32)}
	if *tlsDir != "" {
		options = append(options, grpc.Creds(credentials.NewTLS(mutualTLS(*tlsDir))))
	}
	grpcServer := grpc.NewServer(options...)
	discovery.RegisterAggregatedDiscoveryServiceServer(grpcServer, server.NewServer(ctx, snapshots, nil))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go func() { check(grpcServer.Serve(listener)) }()
	answer(map[string]any{"port": listener.Addr().(*net.TCPAddr).Port})

	world := &world{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var c command
		check(json.Unmarshal(lines.Bytes(), &c))
		switch c.Cmd {
		case "prepare":
			world.change(c)
			answer(map[string]any{"id": c.ID})
		case "commit":
			started := time.Now()
			check(world.commit(ctx, snapshots))
			answer(map[string]any{"id": c.ID, "at": epochMillis(started), "took": float64(time.Since(started).Microseconds()) / 1000})
		case "settle": // so that memory in use is compared, and not what the collector has not come round to
			debug.FreeOSMemory()
			answer(map[string]any{"id": c.ID})
		case "churn":
			answer(churn(ctx, c, world, snapshots))
		default:
			check(fmt.Errorf("unknown command %q", c.Cmd))
		}
	}
}

// coalesce is chancery's own pause between two roll-outs. go-control-plane leaves it to the program around it.
const coalesce = 50 * time.Millisecond

// churn changes one resource at a time, c.Rate times a second. What falls due while a snapshot is being handed over, or
// within the pause, goes into the next one. It answers with the moment at which the last change was due, so that a
// server that cannot keep up pays for it.
func churn(ctx context.Context, c command, world *world, snapshots cache.SnapshotCache) map[string]any {
	changes := c.Rate * c.Seconds
	interval := time.Second / time.Duration(c.Rate)
	started := time.Now()
	due := func(i int) time.Time { return started.Add(time.Duration(i) * interval) }
	for i := 0; i < changes; {
		time.Sleep(time.Until(due(i)))
		for ; i < changes && !time.Now().Before(due(i)); i++ {
			step := c
			step.Change, step.Index, step.Generation = "one", c.Index+i, c.Generation+i
			world.change(step)
		}
		committed := time.Now()
		check(world.commit(ctx, snapshots))
		time.Sleep(time.Until(committed.Add(coalesce)))
	}
	return map[string]any{"id": c.ID, "at": epochMillis(due(changes - 1))}
}

// commit is what is measured: a snapshot out of typed resources, and handing it to the cache.
func (w *world) commit(ctx context.Context, snapshots cache.SnapshotCache) error {
	snapshot, err := cache.NewSnapshot(fmt.Sprintf("v%d", w.version), map[resource.Type][]types.Resource{w.typeURL(): w.prepared})
	if err != nil {
		return err
	}
	return snapshots.SetSnapshot(ctx, "bench", snapshot)
}

func mutualTLS(dir string) *tls.Config {
	pair, err := tls.LoadX509KeyPair(dir+"/server.pem", dir+"/server.key")
	check(err)
	ca, err := os.ReadFile(dir + "/ca.pem")
	check(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
}

func epochMillis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

func answer(value any) {
	line, err := json.Marshal(value)
	check(err)
	_, err = os.Stdout.Write(append(line, '\n'))
	check(err)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
