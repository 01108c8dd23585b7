package main

import (
	"fmt"
	"slices"
	"strings"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpoint "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/types/known/durationpb"
)

// world is what is served: one set of resources, each marked with the generation that last changed it. The program for
// chancery makes the same resources; the client compares sizes.
type world struct {
	set      string
	version  int
	prepared []types.Resource
}

// change makes new resources where the generation moved; the others stay the same objects.
func (w *world) change(c command) {
	if w.prepared == nil {
		w.set, w.prepared = c.Set, make([]types.Resource, c.Count)
	}
	w.version = c.Generation
	if c.Change == "one" {
		index := c.Index % len(w.prepared)
		w.prepared = slices.Clone(w.prepared)
		w.prepared[index] = w.resource(index, c.Generation)
		return
	}
	made := make([]types.Resource, len(w.prepared))
	for i := range made {
		made[i] = w.resource(i, c.Generation)
	}
	w.prepared = made
}

func (w *world) resource(i, generation int) types.Resource {
	if w.set == "clusters" {
		return oneCluster(i, generation)
	}
	return oneAssignment(i, generation)
}

func (w *world) typeURL() string {
	if w.set == "clusters" {
		return resource.ClusterType
	}
	return resource.EndpointType
}

func oneCluster(i, generation int) types.Resource {
	name := fmt.Sprintf("cluster-%06d", i)
	return &cluster.Cluster{
		Name:                 name,
		AltStatName:          fmt.Sprintf("alt-%s-%s~g%06d", name, strings.Repeat("x", 36), generation),
		ClusterDiscoveryType: &cluster.Cluster_Type{Type: cluster.Cluster_STRICT_DNS},
		ConnectTimeout:       durationpb.New(5_000_000_000),
		LoadAssignment: &endpoint.ClusterLoadAssignment{ClusterName: name, Endpoints: []*endpoint.LocalityLbEndpoints{{
			LbEndpoints: []*endpoint.LbEndpoint{
				oneEndpoint("svc-"+name+".namespace-with-a-long-name.svc.cluster.local", 8080, ""),
				oneEndpoint("svc2-"+name+".namespace-with-a-long-name.svc.cluster.local", 8080, ""),
			},
		}}},
	}
}

func oneAssignment(i, generation int) types.Resource {
	var endpoints []*endpoint.LbEndpoint
	for host := range 4 {
		endpoints = append(endpoints, oneEndpoint(fmt.Sprintf("10.%d.%d.%d", i>>8, i&255, host+1), 8080, fmt.Sprintf("~g%06d", generation)))
	}
	return &endpoint.ClusterLoadAssignment{
		ClusterName: fmt.Sprintf("endpoints-%06d", i),
		Endpoints:   []*endpoint.LocalityLbEndpoints{{LbEndpoints: endpoints}},
	}
}

func oneEndpoint(address string, port uint32, hostname string) *endpoint.LbEndpoint {
	return &endpoint.LbEndpoint{HostIdentifier: &endpoint.LbEndpoint_Endpoint{Endpoint: &endpoint.Endpoint{
		Hostname: hostname,
		Address: &core.Address{Address: &core.Address_SocketAddress{SocketAddress: &core.SocketAddress{
			Address: address, PortSpecifier: &core.SocketAddress_PortValue{PortValue: port},
		}}},
	}}}
}
