"""Reads export requests from standard input, one a line, as strictly as the SDK can, and prints what each record says."""

import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

for line in sys.stdin:
    request = json_format.Parse(line, ExportLogsServiceRequest(), ignore_unknown_fields=False)
    for resource in request.resource_logs:
        for scope in resource.scope_logs:
            for record in scope.log_records:
                attributes = {a.key: a.value.string_value for a in record.attributes}
                assert record.time_unix_nano > 0, line
                assert record.event_name and record.body.string_value, line
                print(attributes["weft.event"])
