/** OpenTelemetry's own definitions of OTLP (opentelemetry-proto, compiled by protobufjs). */

export { default as otlp } from 'otlp-definitions/build/src/generated/root.js'
