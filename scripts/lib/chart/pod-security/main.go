// Says what Pod Security of Kubernetes forbids in a DaemonSet, read from standard input: one line for each level and reason.
package main

import (
	"fmt"
	"io"
	"os"

	apps "k8s.io/api/apps/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	check(err)
	var set apps.DaemonSet
	check(yaml.UnmarshalStrict(text, &set))
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	check(err)
	template := set.Spec.Template
	for _, level := range []api.Level{api.LevelBaseline, api.LevelRestricted} {
		for _, result := range evaluator.EvaluatePod(api.LevelVersion{Level: level, Version: api.LatestVersion()}, &template.ObjectMeta, &template.Spec) {
			if !result.Allowed {
				fmt.Printf("%s: %s: %s\n", level, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
