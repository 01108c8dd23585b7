// A load client: many ADS streams that behave as Envoy's, thin enough to measure a server on the same two cores.
// It reads one JSON command a line from standard input, answers on standard output, and ends with its input.
// "client certs DIR" writes certificates for mutual TLS instead.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type command struct {
	ID      int    `json:"id"`
	Cmd     string `json:"cmd"`
	Timeout int    `json:"timeout"` // seconds
	options
	Version    string `json:"version"`
	Generation int    `json:"generation"`
	From       int    `json:"from"`    // first changed resource
	Changed    int    `json:"changed"` // how many from there; generations count up when step is set
	Step       bool   `json:"step"`
	Any        bool   `json:"any"`
	On         bool   `json:"on"`
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "certs" {
		check(writeCertificates(os.Args[2]))
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	var f *fleet
	for lines.Scan() {
		var c command
		check(json.Unmarshal(lines.Bytes(), &c))
		result, err := run(&f, c)
		if err != nil {
			result = map[string]any{"error": err.Error()}
		}
		result["id"] = c.ID
		line, err := json.Marshal(result)
		check(err)
		_, err = os.Stdout.Write(append(line, '\n'))
		check(err)
	}
}

func run(f **fleet, c command) (map[string]any, error) {
	timeout := time.Duration(c.Timeout) * time.Second
	if c.Cmd == "fleet" {
		made, err := newFleet(c.options)
		*f = made
		return map[string]any{}, err
	}
	if *f == nil {
		return nil, fmt.Errorf("command %q before \"fleet\"", c.Cmd)
	}
	switch c.Cmd {
	case "connect":
		started := time.Now()
		if err := (*f).connect(false); err != nil {
			return nil, err
		}
		return map[string]any{"at": epochMillis(started)}, nil
	case "reconnect":
		(*f).drop()
		started := time.Now()
		if err := (*f).connect(true); err != nil {
			return nil, err
		}
		return map[string]any{"at": epochMillis(started)}, nil
	case "arm":
		return map[string]any{"waiting": (*f).prepare(armOf(c, (*f).options.Count))}, nil
	case "wait":
		o, err := (*f).wait(timeout)
		return map[string]any{"outcome": o}, err
	case "refuse":
		(*f).refuse.Store(c.On)
		return map[string]any{}, nil
	case "counters": // since the last time they were asked for
		return map[string]any{
			"responses": (*f).responses.Swap(0), "resources": (*f).resources.Swap(0),
			"bytes": (*f).bytes.Swap(0), "refusals": (*f).refusals.Swap(0), "failures": (*f).failures.Load(),
		}, nil
	case "drop":
		(*f).drop()
		return map[string]any{}, nil
	}
	return nil, fmt.Errorf("unknown command %q", c.Cmd)
}

func armOf(c command, count int) *arm {
	a := &arm{version: c.Version, any: c.Any, expected: make([]int32, count)}
	for i := range c.Changed {
		generation := c.Generation
		if c.Step {
			generation += i
		}
		a.expected[(c.From+i)%count] = int32(generation)
	}
	return a
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
