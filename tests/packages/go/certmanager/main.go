// Command certmanager runs cert-manager.io's own controllers in one process: those that a Certificate which is signed by itself
// passes through, and the injector of caBundles.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	cmscheme "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/scheme"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/util"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv("KUBECONFIG")); err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	ctx, cancel := context.WithCancel(klog.NewContext(ctx, klog.Background()))
	defer cancel()
	injector, err := newInjector(ctx, kubeconfig)
	if err != nil {
		return fmt.Errorf("cainjector: %w", err)
	}
	runs, err := newControllers(ctx, kubeconfig)
	if err != nil {
		return fmt.Errorf("controller: %w", err)
	}
	// Whoever ends ends all.
	var group sync.WaitGroup
	failures := make(chan error, len(runs)+1)
	for _, one := range append(runs, injector) {
		group.Go(func() {
			defer cancel()
			failures <- one(ctx)
		})
	}
	group.Wait()
	close(failures)
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	return err
}

func newInjector(ctx context.Context, kubeconfig string) (func(context.Context) error, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config = util.RestConfigWithUserAgent(config, "cainjector") // by which it names itself where it writes
	scheme := runtime.NewScheme()
	if err := errors.Join(kscheme.AddToScheme(scheme), cmscheme.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	ctrl.SetLogger(klog.Background())
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		// Of Secrets only metadata is watched.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return nil, err
	}
	return manager.Start, cainjector.RegisterAllInjectors(ctx, manager, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.MutatingWebhookConfigurationName:   true,
			cainjector.ValidatingWebhookConfigurationName: true,
		},
	})
}

func newControllers(ctx context.Context, kubeconfig string) ([]func(context.Context) error, error) {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig: kubeconfig,
		IssuerOptions: controller.IssuerOptions{
			ClusterResourceNamespace: "kube-system",
		},
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return nil, err
	}
	var runs []func(context.Context) error
	for name, construct := range controller.Known() {
		one, err := construct(factory)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		runs = append(runs, func(ctx context.Context) error { return one.Run(1, ctx) })
	}
	shared, err := factory.Build()
	if err != nil {
		return nil, err
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	return runs, nil
}
