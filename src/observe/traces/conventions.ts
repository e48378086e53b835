/**
 * The names of attributes that spans have, by OpenTelemetry's semantic conventions, whose version is pinned here. Our own begin with
 * `headgate`.
 */

const version = '1.45.0'

export const schemaUrl = `https://opentelemetry.io/schemas/${version}`

export const names = {
  errorType: 'error.type',
  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  messagingSystem: 'messaging.system',
  messagingOperation: 'messaging.operation.name',
  messagingOperationType: 'messaging.operation.type',
  messagingDestination: 'messaging.destination.name',
  messagingMessageId: 'messaging.message.id',
  messagingCount: 'messaging.batch.message_count',
  genAiOperation: 'gen_ai.operation.name',
  genAiProvider: 'gen_ai.provider.name',
  genAiModel: 'gen_ai.request.model',
  genAiInputTokens: 'gen_ai.usage.input_tokens',
  genAiOutputTokens: 'gen_ai.usage.output_tokens',
  genAiTool: 'gen_ai.tool.name',
  genAiInput: 'gen_ai.input.messages',
  genAiOutput: 'gen_ai.output.messages',
  eventId: 'headgate.event.id',
  eventType: 'headgate.event.type',
  profile: 'headgate.profile',
  route: 'headgate.route',
  job: 'headgate.job',
  outcome: 'headgate.outcome',
  stage: 'headgate.stage',
  attempt: 'headgate.attempt',
  attemptEnd: 'headgate.attempt.end',
  toolset: 'headgate.toolset',
  target: 'headgate.target',
} as const
