"""Exports log records, spans and a count of tokens with the OpenTelemetry SDK, as an agent in Python would.

Usage: export.py http|grpc ADDRESS COUNT
"""

import logging
import sys

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode

way, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
if way == "http":
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    def exporter(kind, path):
        return kind(endpoint=f"http://{address}/v1/{path}", compression=Compression.Gzip)

else:
    from grpc import Compression
    from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    def exporter(kind, path):
        return kind(endpoint=f"http://{address}", insecure=True, compression=Compression.Gzip)


# What goes wrong is told on standard error, and has to be nothing.
logging.basicConfig(level=logging.WARNING)
resource = Resource.create({"service.name": "sdk-python"})

logs = LoggerProvider(resource=resource)
logs.add_log_record_processor(BatchLogRecordProcessor(exporter(OTLPLogExporter, "logs"), max_export_batch_size=100))
logger = logs.get_logger("agent")
for n in range(count):
    logger.emit(
        LogRecord(
            timestamp=1_794_736_800_000_000_000 + n,
            severity_number=SeverityNumber.INFO,
            body=f"record {n}",
            event_name="tool_result",
            attributes={
                "session.id": f"python-{way}",
                "event.sequence": n,
                "tool_name": "Bash",
                "tool_use_id": f"toolu_{n}",
                "success": "true",
                "duration_ms": 7,
                "list": ["a", "b"],
            },
        )
    )

spans = TracerProvider(resource=resource)
spans.add_span_processor(BatchSpanProcessor(exporter(OTLPSpanExporter, "traces"), max_export_batch_size=100))
tracer = spans.get_tracer("agent")
for n in range(count):
    with tracer.start_as_current_span(f"chat {n}") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        span.set_attribute("gen_ai.conversation.id", f"python-{way}")
        span.set_attribute("gen_ai.request.model", "m")
        span.set_attribute("gen_ai.usage.input_tokens", 11)
        span.set_attribute("gen_ai.usage.output_tokens", n)
        if n == 0:
            span.set_status(Status(StatusCode.ERROR, "overloaded"))
        with tracer.start_as_current_span("GET /"):
            pass

reader = PeriodicExportingMetricReader(exporter(OTLPMetricExporter, "metrics"), export_interval_millis=3_600_000)
meters = MeterProvider(resource=resource, metric_readers=[reader])
meter = meters.get_meter("agent")
tokens = meter.create_counter("gen_ai.client.inference.usage.output_tokens", unit="{token}")
for added in (30, 12):
    tokens.add(added, {"session.id": f"python-{way}"})
    reader.force_flush()

for provider in (logs, spans):
    assert provider.force_flush()
for provider in (logs, spans, meters):
    provider.shutdown()
