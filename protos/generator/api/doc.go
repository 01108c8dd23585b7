// Package api links every live message of Envoy's API, so that the registry of the protobuf runtime knows them all.
package api
