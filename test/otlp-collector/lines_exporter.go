// Exporter "lines": each request as one line of OTLP JSON, written before it is answered, so that what was taken outlives a kill.
// The file exporter of the contrib distribution buffers for up to a second and would lose what it has acknowledged.
package main

import (
	"context"
	"errors"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

type linesConfig struct {
	// Path of the file, which is created; one file for each start, since a killed process may leave half a line.
	Path string `mapstructure:"path"`
}

func (c *linesConfig) Validate() error {
	if c.Path == "" {
		return errors.New("path is missing")
	}
	return nil
}

type lines struct {
	path string
	mu   sync.Mutex
	file *os.File
}

func (l *lines) Start(context.Context, component.Host) error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	l.file = file
	return err
}

func (l *lines) Shutdown(context.Context) error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

func (l *lines) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (l *lines) write(line []byte, err error) error {
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.file.Write(append(line, '\n'))
	return err
}

type metricLines struct{ lines }

func (l *metricLines) ConsumeMetrics(_ context.Context, metrics pmetric.Metrics) error {
	return l.write((&pmetric.JSONMarshaler{}).MarshalMetrics(metrics))
}

type logLines struct{ lines }

func (l *logLines) ConsumeLogs(_ context.Context, logs plog.Logs) error {
	return l.write((&plog.JSONMarshaler{}).MarshalLogs(logs))
}

type spanLines struct{ lines }

func (l *spanLines) ConsumeTraces(_ context.Context, traces ptrace.Traces) error {
	return l.write((&ptrace.JSONMarshaler{}).MarshalTraces(traces))
}

// One exporter a signal, each with a path of its own.
func newLinesFactory() exporter.Factory {
	at := func(config component.Config) lines { return lines{path: config.(*linesConfig).Path} }
	return exporter.NewFactory(
		component.MustNewType("lines"),
		func() component.Config { return &linesConfig{} },
		exporter.WithMetrics(func(_ context.Context, _ exporter.Settings, config component.Config) (exporter.Metrics, error) {
			return &metricLines{at(config)}, nil
		}, component.StabilityLevelStable),
		exporter.WithLogs(func(_ context.Context, _ exporter.Settings, config component.Config) (exporter.Logs, error) {
			return &logLines{at(config)}, nil
		}, component.StabilityLevelStable),
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, config component.Config) (exporter.Traces, error) {
			return &spanLines{at(config)}, nil
		}, component.StabilityLevelStable),
	)
}
