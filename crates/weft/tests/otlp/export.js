// Exports log records and spans with the OpenTelemetry SDK, as an agent in JavaScript would.
//
// Usage: export.js json|protobuf|grpc ADDRESS COUNT

const { SeverityNumber } = require('@opentelemetry/api-logs');
const { SpanStatusCode, diag, DiagConsoleLogger, DiagLogLevel, context, trace } = require('@opentelemetry/api');
const { resourceFromAttributes } = require('@opentelemetry/resources');
const { LoggerProvider, BatchLogRecordProcessor } = require('@opentelemetry/sdk-logs');
const { NodeTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-node');

const [way, address, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const suffix = { json: 'http', protobuf: 'proto', grpc: 'grpc' }[way];
const { OTLPLogExporter } = require(`@opentelemetry/exporter-logs-otlp-${suffix}`);
const { OTLPTraceExporter } = require(`@opentelemetry/exporter-trace-otlp-${suffix}`);
const options = (path) => ({
  url: way === 'grpc' ? `http://${address}` : `http://${address}/v1/${path}`,
  compression: 'gzip',
});

// What goes wrong is told on standard error, and has to be nothing.
diag.setLogger(new DiagConsoleLogger(), { logLevel: DiagLogLevel.ERROR });

async function run() {
  const resource = resourceFromAttributes({ 'service.name': 'sdk-javascript' });
  const logs = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(options('logs')) })],
  });
  const logger = logs.getLogger('agent');
  for (let n = 0; n < count; n += 1) {
    logger.emit({
      timestamp: [1794736800, n],
      severityNumber: SeverityNumber.INFO,
      body: `record ${n}`,
      eventName: 'tool_result',
      attributes: {
        'session.id': `javascript-${way}`,
        'event.sequence': n,
        tool_name: 'Bash',
        tool_use_id: `toolu_${n}`,
        success: 'true',
        duration_ms: 7,
        list: ['a', 'b'],
      },
    });
  }
  await logs.forceFlush();

  const spans = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(options('traces')))],
  });
  const tracer = spans.getTracer('agent');
  for (let n = 0; n < count; n += 1) {
    const span = tracer.startSpan(`chat ${n}`, {
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.conversation.id': `javascript-${way}`,
        'gen_ai.request.model': 'm',
        'gen_ai.usage.input_tokens': 11,
        'gen_ai.usage.output_tokens': n,
      },
    });
    if (n === 0) span.setStatus({ code: SpanStatusCode.ERROR, message: 'overloaded' });
    tracer.startSpan('GET /', {}, trace.setSpan(context.active(), span)).end();
    span.end();
  }
  await spans.forceFlush();
  await logs.shutdown();
  await spans.shutdown();
}

run().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
