// The names of OpenTelemetry's semantic conventions, except those of providers (domain/provider.ts). General and HTTP:
// version 1.42.0, stable. GenAI: its own repository (semantic-conventions-genai), which has made no release; pinned at
// its commit 004902b8, every name there "Development". Only this file changes for a newer state.

import { operations } from '../domain/conversation/operations.ts'

export const attributes = {
  errorType: 'error.type',
  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  urlScheme: 'url.scheme',
  serviceName: 'service.name',
  serviceVersion: 'service.version',
  serviceInstance: 'service.instance.id',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  tokenType: 'gen_ai.token.type',
} as const

/** The bounds that the conventions recommend. */
export const durationBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
export const tokenBounds = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
]
export const chunkBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

interface ConventionalMetric {
  name: string
  unit: string
  /** Label → attribute. */
  labels: Readonly<Record<string, string>>
  /** Attributes with a fixed value. */
  always?: Readonly<Record<string, string>>
}

/**
 * Our metrics with a name in the conventions: OTLP uses that one. All others keep their own. The label `endpoint` also
 * becomes the operation's name.
 */
export const conventionalMetrics: Readonly<Record<string, ConventionalMetric>> = {
  sallyport_provider_duration_seconds: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    labels: { provider: attributes.provider },
  },
  sallyport_provider_first_token_seconds: {
    name: 'gen_ai.client.operation.time_to_first_chunk',
    unit: 's',
    labels: { provider: attributes.provider },
    always: { [attributes.operation]: operations.generate.telemetryName },
  },
  sallyport_answer_tokens: {
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    labels: { provider: attributes.provider, direction: attributes.tokenType },
  },
}
