// Every variable the product reads, once: how its text is read, what it is without one, what it means.
// Types, errors and the tables in docs come from here. Knows no process and no rule between two variables.
import { z } from 'zod'
import { brand } from '../domain/brand.ts'
import { defaultPrefix } from '../kv/redis/keys.ts'
import * as read from './values.ts'

export const roles = ['api', 'gateway', 'inference', 'worker'] as const
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const dnsProviders = ['none', 'rfc2136', 'cloudflare', 'route53'] as const

/** What the documentation says about a variable. */
interface About {
  meaning: string
  /** Words for the default where it is not one fixed text. */
  otherwise?: string
  isSecret?: true
}

export const about = z.registry<About>()

function variable<S extends z.ZodType>(schema: S, meaning: string, more: Omit<About, 'meaning'> = {}): S {
  about.add(schema, { meaning, ...more })
  return schema
}

const secret = { isSecret: true } as const

function providerAddress(name: string, address: string) {
  return variable(read.address.prefault(address), `Address of ${name}; exempt from the rules for private addresses`)
}

function platformKey(name: string) {
  return variable(read.headerToken.optional(), `Platform key for ${name}, for the platform default model only`, secret)
}

export const sections = {
  Process: {
    ROLE: variable(read.wordSet(roles).prefault('all'), `Comma list of ${roles.join(', ')}; or all`),
    DATA_DIR: variable(read.folder.prefault('./data'), 'Folder of the embedded database and the generated secrets'),
    DATABASE_URL: variable(
      read.postgresUrl.optional(),
      'PostgreSQL; unset together with REDIS_URL: embedded mode',
      secret,
    ),
    REDIS_URL: variable(read.redisUrl.optional(), 'Redis; unset together with DATABASE_URL: embedded mode', secret),
    REDIS_PREFIX: variable(
      read.redisPrefix.prefault(defaultPrefix),
      'Stands before every key and channel in Redis; unless it is the default, before the event stream guardrails:events as well',
    ),
    UV_THREADPOOL_SIZE: variable(
      read.integer(2, 1024).prefault('4'),
      'Threads of the pool; half of them hash passwords',
    ),
  },
  Listener: {
    PORT: variable(read.integer(0, 65_535).prefault('8080'), 'Port to listen on'),
    HOST: variable(read.listenHost.optional(), 'Address to listen on', {
      otherwise: '127.0.0.1 in embedded mode, else 0.0.0.0',
    }),
    TRUSTED_PROXIES: variable(
      read.networks.prefault(''),
      'Comma list of addresses and networks whose X-Forwarded-For counts as the client address',
    ),
    FAST_LANE: variable(
      read.oneOf(['on', 'off']).prefault('on'),
      "`off` reads every request with Node's HTTP server: slower, for comparison and as a fallback",
    ),
    BODY_LIMIT_MB: variable(read.integer(1, 512).prefault('10'), 'Largest inference body; management bodies: 1 MB'),
  },
  Addresses: {
    BASE_URL: variable(read.origin.optional(), 'Public address of the service', { otherwise: 'http://localhost:PORT' }),
    PUBLIC_DOMAIN: variable(read.domainName.prefault('localhost'), 'A project is reached at slug.PUBLIC_DOMAIN'),
    INTERNAL_DOMAIN: variable(
      read.domainName.prefault('dev.localhost'),
      'A project is also reached at slug.INTERNAL_DOMAIN',
    ),
    DASHBOARD_ORIGIN: variable(read.origin.optional(), 'First allowed origin of new projects', {
      otherwise: 'BASE_URL',
    }),
    UPGRADE_URL: variable(read.addressWithQuery.optional(), 'Where plan errors send people', {
      otherwise: 'BASE_URL/upgrade',
    }),
    API_URL: variable(
      read.address.optional(),
      'Where a gateway without the api role forwards the mint of project hosts',
      {
        otherwise: 'BASE_URL',
      },
    ),
    INFERENCE_URL: variable(
      read.address.optional(),
      'Where the gateway forwards verified requests; unset: in the process',
    ),
    INTERNAL_SECRET: variable(
      read.headerSecret(1).optional(),
      'Shared by gateway and inference when they are apart (X-Internal-Secret)',
      secret,
    ),
  },
  Secrets: {
    ADMIN_SECRET: variable(read.headerSecret(16).optional(), 'Opens the admin routes; 16 characters or more', {
      otherwise: 'generated in embedded mode, else required',
      ...secret,
    }),
    JWT_PRIVATE_KEY: variable(read.rsaPrivateKey.optional(), 'RSA key that signs tokens: PEM, or base64 of PEM', {
      otherwise: 'generated in embedded mode, else required',
      ...secret,
    }),
    ENCRYPTION_KEY: variable(read.encryptionKey.optional(), 'Encrypts stored secrets: 32 bytes in base64', {
      otherwise: 'generated in embedded mode, else required',
      ...secret,
    }),
    ENCRYPTION_PREVIOUS_KEYS: variable(
      read.encryptionKeys.prefault(''),
      'Comma list of earlier encryption keys: what they sealed stays readable and is wrapped anew',
      secret,
    ),
  },
  Tokens: {
    JWT_KEY_ID: variable(read.keyId.prefault('default'), 'The kid of the signing key'),
    JWT_ISSUER: variable(read.anyText.optional(), 'Claim iss', { otherwise: 'BASE_URL' }),
    JWT_AUDIENCE: variable(read.anyText.prefault(brand), 'Claim aud'),
    JWT_PREVIOUS_KEYS: variable(
      read.publicJwks.prefault('[]'),
      'JSON array of public JWKs still published and accepted while a signing key is rotated',
    ),
    JWKS_URL: variable(read.addressWithQuery.optional(), 'Key set that the gateway verifies against', {
      otherwise: 'its own with the api role, else the key set at BASE_URL',
    }),
    JWKS_CACHE_TTL: variable(read.seconds(0, 3600).prefault('300'), 'Seconds that the gateway keeps the key set'),
    MINT_RPM: variable(read.integer(1, 1_000_000).prefault('600'), 'Mints per minute and API key'),
  },
  People: {
    BOOTSTRAP_EMAIL: variable(read.email.optional(), 'First dashboard user, made at start while there is no user', {
      otherwise: 'admin@localhost in embedded mode, else none',
    }),
    BOOTSTRAP_PASSWORD: variable(read.password.optional(), 'Password of that user; 12 characters or more', {
      otherwise: 'generated in embedded mode, else none',
      ...secret,
    }),
    SESSION_ISSUER: variable(read.issuer.optional(), 'OIDC issuer whose dashboard sessions are accepted too'),
    SESSION_JWKS_URL: variable(read.addressWithQuery.optional(), 'Key set of that issuer'),
    SESSION_AUDIENCE: variable(read.anyText.optional(), 'Audience that its tokens must name'),
  },
  Providers: {
    OPENAI_BASE_URL: providerAddress('OpenAI', 'https://api.openai.com/v1'),
    ANTHROPIC_BASE_URL: providerAddress('Anthropic', 'https://api.anthropic.com/v1'),
    GOOGLE_BASE_URL: providerAddress('Google', 'https://generativelanguage.googleapis.com/v1beta'),
    OPENROUTER_BASE_URL: providerAddress('OpenRouter', 'https://openrouter.ai/api/v1'),
    MISTRAL_BASE_URL: providerAddress('Mistral', 'https://api.mistral.ai/v1'),
    COHERE_BASE_URL: providerAddress('Cohere', 'https://api.cohere.com/v2'),
    PLATFORM_OPENAI_API_KEY: platformKey('OpenAI'),
    PLATFORM_ANTHROPIC_API_KEY: platformKey('Anthropic'),
    PLATFORM_GOOGLE_API_KEY: platformKey('Google'),
    PLATFORM_OPENROUTER_API_KEY: platformKey('OpenRouter'),
    PLATFORM_MISTRAL_API_KEY: platformKey('Mistral'),
    PLATFORM_COHERE_API_KEY: platformKey('Cohere'),
    PLATFORM_DEFAULT_MODEL: variable(
      read.modelId.optional(),
      'Model of projects that have chosen none; a start with one that the model registry does not know is refused',
    ),
    UPSTREAM_TIMEOUT: variable(read.seconds(0.1, 3600).prefault('120'), 'Seconds to the first byte of a provider'),
    UPSTREAM_IDLE_TIMEOUT: variable(
      read.seconds(0.1, 3600).prefault('60'),
      'Seconds between two bytes of a provider; ten times as long where bytes come and say nothing (comments, pings, white space)',
    ),
    UPSTREAM_TOTAL_TIMEOUT: variable(
      read.seconds(0.1, 86_400).prefault('900'),
      'Seconds that an answer may take in all, however steadily its bytes come; a plain answer has at most 300 of them, or UPSTREAM_TIMEOUT where that is more',
    ),
    OUTBOUND_ALLOW: variable(
      read.outboundAllow.prefault(''),
      "Comma list of host, host:port or network that tenants' addresses may reach although private",
    ),
  },
  Worker: {
    SYNC_INTERVAL: variable(read.seconds(0.1, 3600).prefault('15'), 'Seconds between two cycles'),
    CONFIG_CACHE_TTL: variable(
      read.seconds(0, 3600).prefault('30'),
      "Seconds that the gateway keeps a project's configuration",
    ),
  },
  DNS: {
    DNS_PROVIDER: variable(
      read.oneOf(dnsProviders).prefault('none'),
      `One of ${dnsProviders.join(', ')}; none: a wildcard record exists`,
    ),
    DNS_TARGET: variable(read.recordTarget.optional(), 'Address or name that project hosts point at'),
    DNS_RFC2136_SERVER: variable(read.hostAndPort.optional(), 'rfc2136: host:port of the server that takes updates'),
    DNS_RFC2136_ZONE: variable(read.domainName.optional(), 'rfc2136: the zone'),
    DNS_RFC2136_KEY: variable(
      read.tsigKey.optional(),
      'rfc2136: algorithm:name:base64; unset: unsigned updates',
      secret,
    ),
    CLOUDFLARE_API_TOKEN: variable(read.headerToken.optional(), 'cloudflare: API token', secret),
    CLOUDFLARE_ZONE_ID: variable(read.headerToken.optional(), 'cloudflare: the zone'),
    CLOUDFLARE_API_BASE: variable(
      read.address.prefault('https://api.cloudflare.com/client/v4'),
      'cloudflare: address of the API',
    ),
    AWS_ACCESS_KEY_ID: variable(read.headerToken.optional(), 'route53: access key', secret),
    AWS_SECRET_ACCESS_KEY: variable(read.headerToken.optional(), 'route53: secret of the access key', secret),
    ROUTE53_ZONE_ID: variable(read.headerToken.optional(), 'route53: the hosted zone'),
    ROUTE53_API_BASE: variable(read.address.prefault('https://route53.amazonaws.com'), 'route53: address of the API'),
  },
  Observation: {
    LOG_LEVEL: variable(read.oneOf(logLevels).prefault('info'), `One of ${logLevels.join(', ')}; logs go to stderr`),
    METRICS_TOKEN: variable(read.headerToken.optional(), 'Opens /metrics from elsewhere than loopback', secret),
    OTEL_EXPORTER_OTLP_ENDPOINT: variable(
      read.address.optional(),
      'Traces and metrics go there by OTLP over HTTP, at /v1/traces and /v1/metrics below it',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: variable(
      read.otlpHeaders.prefault(''),
      'Comma list of name=value, values percent-encoded, that go with them',
      secret,
    ),
    OTEL_METRIC_EXPORT_INTERVAL: variable(
      read.integer(100, 3_600_000).prefault('60000'),
      'Milliseconds between two exports of the metrics',
    ),
    OTEL_TRACES_SAMPLER_ARG: variable(
      read.fraction('a number from 0 to 1').prefault('1'),
      'Share of traces taken of requests whose caller has not decided it by a traceparent',
    ),
  },
}

export const variables = z.object({
  ...sections.Process,
  ...sections.Listener,
  ...sections.Addresses,
  ...sections.Secrets,
  ...sections.Tokens,
  ...sections.People,
  ...sections.Providers,
  ...sections.Worker,
  ...sections.DNS,
  ...sections.Observation,
})

export type Values = z.output<typeof variables>
