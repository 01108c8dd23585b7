// Writes every live .proto file linked into this program as one FileDescriptorSet, gzipped, to standard output, and what it
// holds, one "name value" line each, to standard error. The same modules give the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"sort"

	_ "chancery/protos/generator/api"

	"github.com/cncf/xds/go/udpa/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

func main() {
	set := collect(protoregistry.GlobalFiles)
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	check(err)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // no name, no time: nothing but the content
	check(err)
	_, err = w.Write(raw)
	check(err)
	check(w.Close())
	_, err = os.Stdout.Write(packed.Bytes())
	check(err)
	report(set, len(raw))
}

// collect lists the files so that each comes after those it imports.
func collect(files *protoregistry.Files) *descriptorpb.FileDescriptorSet {
	var all []protoreflect.FileDescriptor
	files.RangeFiles(func(fd protoreflect.FileDescriptor) bool { all = append(all, fd); return true })
	sort.Slice(all, func(i, j int) bool { return all[i].Path() < all[j].Path() })
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	var add func(fd protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := 0; i < fd.Imports().Len(); i++ {
			imported := fd.Imports().Get(i).FileDescriptor
			if imported.IsPlaceholder() {
				check(fmt.Errorf("%s imports %s, which is not linked", fd.Path(), imported.Path()))
			}
			add(imported)
		}
		set.File = append(set.File, slim(protodesc.ToFileDescriptorProto(fd)))
	}
	for _, fd := range all {
		if !frozen(fd) {
			add(fd)
		}
	}
	return set
}

// frozen files are the v2 API, which Envoy no longer accepts; they come along only where a live file imports one.
func frozen(fd protoreflect.FileDescriptor) bool {
	options, ok := fd.Options().(*descriptorpb.FileOptions)
	if !ok || options == nil {
		return false
	}
	status := proto.GetExtension(options, annotations.E_FileStatus).(*annotations.StatusAnnotation)
	return status.GetPackageVersionStatus() == annotations.PackageVersionStatus_FROZEN
}

// slim leaves out what only compilers for other languages read.
func slim(file *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	file.SourceCodeInfo = nil
	if o := file.Options; o != nil {
		o.GoPackage, o.JavaPackage, o.JavaOuterClassname, o.JavaMultipleFiles, o.JavaStringCheckUtf8 = nil, nil, nil, nil, nil
		o.CsharpNamespace, o.RubyPackage, o.PhpNamespace, o.PhpClassPrefix, o.PhpMetadataNamespace = nil, nil, nil, nil, nil
		o.ObjcClassPrefix, o.SwiftPrefix, o.CcEnableArenas, o.OptimizeFor = nil, nil, nil, nil
	}
	return file
}

func report(set *descriptorpb.FileDescriptorSet, size int) {
	messages, enums, services, fields := 0, 0, 0, 0
	var walk func(ms []*descriptorpb.DescriptorProto)
	walk = func(ms []*descriptorpb.DescriptorProto) {
		for _, m := range ms {
			if !m.GetOptions().GetMapEntry() {
				messages++
				fields += len(m.Field)
			}
			enums += len(m.EnumType)
			walk(m.NestedType)
		}
	}
	for _, f := range set.File {
		walk(f.MessageType)
		enums += len(f.EnumType)
		services += len(f.Service)
	}
	fmt.Fprintf(os.Stderr, "files %d\nmessages %d\nfields %d\nenums %d\nservices %d\nbytes %d\n", len(set.File), messages, fields, enums, services, size)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
