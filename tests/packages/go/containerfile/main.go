// Command containerfile reads a Containerfile as BuildKit does: prints as JSON what its linter warns of and, for each platform, what
// the image will be. The images that it begins from are not looked at.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/frontend/subrequests/lint"
	digest "github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
)

// report is what is printed.
type report struct {
	Warnings []lint.Warning    `json:"warnings"`
	Problem  string            `json:"problem,omitempty"`
	Images   map[string]*image `json:"images"`
}

type image struct {
	Bases      []string `json:"bases"`
	Steps      int      `json:"steps"`
	User       string   `json:"user"`
	Entrypoint []string `json:"entrypoint"`
}

// bases stands for a registry: every image is there, for every platform, and says nothing of itself.
type bases struct {
	platform ocispecs.Platform
	asked    []string
}

func (b *bases) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	b.asked = append(b.asked, ref)
	config, err := json.Marshal(ocispecs.Image{Platform: b.platform})
	return ref, digest.FromBytes(config), config, err
}

func main() {
	made, err := read(os.Args[1], os.Args[2:])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(made); err != nil {
		log.Fatal(err)
	}
}

func read(path string, architectures []string) (*report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	scratch, err := llb.Scratch().Marshal(context.Background())
	if err != nil {
		return nil, err
	}
	sources := llb.NewSourceMap(nil, path, "Dockerfile", text)
	sources.Definition = scratch // which the linter copies
	made := &report{Images: map[string]*image{}}
	for _, architecture := range architectures {
		platform := ocispecs.Platform{OS: "linux", Architecture: architecture}
		registry := &bases{platform: platform}
		opt := dockerfile2llb.ConvertOpt{
			Config:         dockerui.Config{BuildPlatforms: []ocispecs.Platform{platform}},
			TargetPlatform: &platform,
			MetaResolver:   registry,
			SourceMap:      sources,
		}
		found, err := dockerfile2llb.DockerfileLint(context.Background(), text, opt)
		if err != nil {
			return nil, err
		}
		made.Warnings = append(made.Warnings, found.Warnings...)
		if found.Error != nil {
			made.Problem = found.Error.Message
			continue
		}
		registry.asked = nil
		result, err := dockerfile2llb.Dockerfile2LLB(context.Background(), text, opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", architecture, err)
		}
		definition, err := result.State.Marshal(context.Background(), llb.Platform(platform))
		if err != nil {
			return nil, err
		}
		made.Images[architecture] = &image{
			Bases:      registry.asked,
			Steps:      len(definition.Def),
			User:       result.Image.Config.User,
			Entrypoint: result.Image.Config.Entrypoint,
		}
	}
	return made, nil
}
