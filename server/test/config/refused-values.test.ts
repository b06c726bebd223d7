// Tests the values and contradictions of the environment that a start refuses, each by the name of its variable.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { variables } from '../../src/config/schema.ts'
import { about } from '../../src/config/variable.ts'
import { distributed, type Environment, jwk, key32, pem, pemOf, refusalOf, rsa, signing } from './environments.ts'

const weakPem = pemOf(rsa(1024))
const cubePem = pemOf(rsa(2048, 3))
const ecPem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
const lockedPem = signing.privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  .toString()

const privateJwk = { ...signing.privateKey.export({ format: 'jwk' }), kid: 'old' }

/** Every variable with values that must be refused; the sentence names it and, where it is secret, not the value. */
const badValues: Record<keyof typeof variables.shape, readonly string[]> = {
  TENANT_CREATION: ['nobody', 'true'],
  MAX_TIERS: ['0', '1001', 'three'],
  AUDIT_DAYS: ['0', '36501', 'forever'],
  MAX_RPM_LIMIT: ['59', '10000001', '1e5'],
  PLATFORM_TOKENS_PER_DAY: ['0', '1.5', '1e6', 'many'],
  PLATFORM_TENANT_TOKENS_PER_DAY: ['0', '-1', '1000000000000'],
  PLATFORM_USD_PER_DAY: ['0', '-5', '$5', '1000000.1', '0.0000001'],
  PLATFORM_TENANT_USD_PER_DAY: ['0', '1e3', '5 USD'],
  ROLE: ['everything', 'api,gatway', ',', 'api;worker'],
  PROCESSES: ['0', '65', 'two', '1.5', '-1'],
  DATA_DIR: [],
  DATABASE_URL: ['mysql://db/x', 'db.example:5432', 'postgres://u:p w@h/x', 'postgres//h'],
  REDIS_URL: ['http://cache', 'redis:cache', 'localhost:6379', 'redis:///0'],
  REDIS_PREFIX: ['two words:', 'tab\tin:', '{tag}:', 'open{', 'close}', 'größe:', 'x'.repeat(65)],
  ANSWER_CACHE_MB: ['0', '65537', '64MB', '1.5'],
  UV_THREADPOOL_SIZE: ['0', '1', 'many', '1025'],
  PORT: ['x', '-1', '65536', '80.5', '0x50', '8080 9090', '1e3', '１２'],
  HOST: ['a b', 'http://localhost', 'localhost:8080', '256.1.1.1', '[::1]'],
  TRUSTED_PROXIES: [
    '10.0.0.0/33',
    '10.0.0/8',
    'proxy.example',
    '::1/129',
    '10.0.0.1,x',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
  ],
  FAST_LANE: ['true', '1', 'no'],
  BODY_LIMIT_MB: ['0', '513', '10MB', '1.5'],
  BASE_URL: [
    'localhost:8080',
    'ftp://h',
    'https://h/path',
    'https://h?q',
    'https://u:p@h',
    'https:h',
    'https://',
    '//h',
  ],
  PUBLIC_DOMAIN: ['https://h', 'a/b', 'a..b', '-a.example', 'h:80', '*.h', '10.0.0.1', 'a b'],
  INTERNAL_DOMAIN: ['https://h', 'a_b!', '.'],
  DASHBOARD_ORIGIN: ['*', 'null', 'https://h/x', 'h.example'],
  UPGRADE_URL: ['/upgrade', 'javascript:alert(1)', 'https://u:p@h/x'],
  API_URL: ['h:80', 'https://h?x=1', 'https://h/#x', 'unix:/x'],
  INFERENCE_URL: ['h:80', 'https://u@h', 'http:///x', 'http:\\\\h'],
  INTERNAL_SECRET: ['s\u00e9cret', 'two\nlines'],
  ADMIN_SECRET: ['fifteen-charact', 'sixteen characters or m\u00f6re', 'a secret\nof two lines'],
  JWT_PRIVATE_KEY: ['hello', key32, weakPem, cubePem, ecPem, lockedPem, pem.slice(0, 300), 'LS0tLS1CRUdJTg=='],
  ENCRYPTION_KEY: ['short', key32.slice(4), `${key32}AAAA`, `${key32.slice(0, 20)}!${key32.slice(21)}`, '7'.repeat(64)],
  ENCRYPTION_PREVIOUS_KEYS: ['short', `${key32},short`, `${key32};${key32}`],
  JWT_KEY_ID: ['a b', 'k'.repeat(129), 'k\u00e9y'],
  JWT_ISSUER: [],
  JWT_AUDIENCE: [],
  JWT_PREVIOUS_KEYS: [
    '{}',
    'null',
    '[',
    '[1]',
    JSON.stringify({ keys: [jwk('old')] }),
    JSON.stringify([privateJwk]),
    JSON.stringify([jwk('old'), jwk('old')]),
    JSON.stringify([{ ...jwk('old'), kid: undefined }]),
    JSON.stringify([{ ...jwk('old'), alg: 'PS256' }]),
    JSON.stringify([{ ...jwk('old'), use: 'enc' }]),
    JSON.stringify([{ ...rsa(1024).publicKey.export({ format: 'jwk' }), kid: 'weak' }]),
    JSON.stringify([jwk('old'), { ...jwk('older'), alg: 'PS256' }]),
    JSON.stringify([{ kty: 'oct', k: 'c2VjcmV0', kid: 'shared' }]),
  ],
  JWKS_URL: ['jwks.json', 'file:///etc/passwd', 'https://u:p@h/jwks.json'],
  JWKS_CACHE_TTL: ['-1', 'forever', '3601', '5m'],
  MINT_RPM: ['0', '1.5', 'unlimited'],
  BOOTSTRAP_EMAIL: ['admin', 'a b@h', '@h', 'a@'],
  BOOTSTRAP_PASSWORD: ['eleven char'],
  DEFAULT_PLAN: ['gold', 'free,pro'],
  SESSION_ISSUER: ['issuer.example', 'https://h?x'],
  SESSION_JWKS_URL: ['jwks.json', 'ldap://h'],
  SESSION_AUDIENCE: [],
  OIDC_ISSUER: ['issuer.example', 'https://h?x'],
  OIDC_CLIENT_ID: [],
  OIDC_CLIENT_SECRET: [],
  OIDC_ALLOWED_DOMAINS: ['a b.example', 'a.example,,b.example'],
  OIDC_OPERATOR_CLAIM: ['groups', '=admins', 'groups='],
  OPENAI_BASE_URL: ['api.openai.com/v1', 'https://h/v1?x', 'https://u:p@h/v1'],
  ANTHROPIC_BASE_URL: ['anthropic'],
  GOOGLE_BASE_URL: ['google'],
  OPENROUTER_BASE_URL: ['openrouter'],
  MISTRAL_BASE_URL: ['mistral'],
  COHERE_BASE_URL: ['cohere'],
  PLATFORM_OPENAI_API_KEY: ['sk-two words', 'sk-\u2026'],
  PLATFORM_ANTHROPIC_API_KEY: ['sk-ant-two words'],
  PLATFORM_GOOGLE_API_KEY: ['AIza two words'],
  PLATFORM_OPENROUTER_API_KEY: ['sk-or-two words'],
  PLATFORM_MISTRAL_API_KEY: ['mistral two words'],
  PLATFORM_COHERE_API_KEY: ['cohere two words'],
  PLATFORM_DEFAULT_MODEL: ['gpt-4o-mini', 'acme/model', 'openai/', '/x', 'openai/gpt 4'],
  HTTPS_PROXY: [
    'socks5://proxy:1080',
    'http://',
    'http://proxy:99999',
    'http://proxy/path',
    'http://proxy?a=b',
    'http://u:%zz@proxy',
    'two words',
  ],
  HTTP_PROXY: ['ftp://proxy', 'proxy:port', 'http://proxy#x'],
  NO_PROXY: ['10.0.0.0/33', 'http://host', 'host:port', 'host:0', '.', '.10.0.0.1', 'a_b/8', 'host.*', '[::1'],
  EXTERNAL_RECOGNISER_URL: ['presidio:5002', 'ftp://presidio', 'http://u:p@presidio', 'http://presidio/?a=b'],
  UPSTREAM_TIMEOUT: ['0', '-5', '2m', '3601', '1e9'],
  UPSTREAM_IDLE_TIMEOUT: ['0', 'never'],
  UPSTREAM_TOTAL_TIMEOUT: ['0', '15m', '86401'],
  TURNSTILE_BASE_URL: ['challenges.cloudflare.com'],
  HCAPTCHA_BASE_URL: ['hcaptcha', 'https://h/?x'],
  RECAPTCHA_BASE_URL: ['recaptcha'],
  APP_CHECK_BASE_URL: ['app-check'],
  AZURE_AUTHORITY_HOST: ['login.example.com', 'https://login.example.com/?x'],
  AWS_ENDPOINT_URL_STS: ['sts.example.com', 'ftp://sts.example.com'],
  WEB_IDENTITY_TOKEN_FILES: ['token', '/a/token,./b'],
  OUTBOUND_ALLOW: ['https://h', 'h:99999', '10.0.0.0/40', 'a b'],
  SYNC_INTERVAL: ['0', '15s'],
  CONFIG_CACHE_TTL: ['-1', '30s'],
  DNS_PROVIDER: ['bind', 'cloudflare,route53'],
  DNS_TARGET: ['https://h', '10.0.0.0/8', 'a b', '300.1.1.1'],
  DNS_RFC2136_SERVER: ['ns.example', 'ns.example:0', 'ns.example:65536', '::1:53', '[x]:53', ':53'],
  DNS_RFC2136_ZONE: ['https://h', 'a b'],
  DNS_RFC2136_KEY: [
    'key',
    'md5:name:c2VjcmV0',
    'hmac-sha256:na me:c2VjcmV0',
    'hmac-sha256:name:',
    'hmac-sha256:name:!!',
  ],
  CLOUDFLARE_API_TOKEN: ['two words'],
  CLOUDFLARE_ZONE_ID: ['two words'],
  CLOUDFLARE_API_BASE: ['api.cloudflare.com'],
  AWS_ACCESS_KEY_ID: ['two words'],
  AWS_SECRET_ACCESS_KEY: ['two words'],
  ROUTE53_ZONE_ID: ['two words'],
  ROUTE53_API_BASE: ['route53'],
  DASHBOARD: ['yes', 'true'],
  LOG_LEVEL: ['loud', '30'],
  METRICS_TOKEN: ['two words'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4317', 'grpc://collector'],
  OTEL_EXPORTER_OTLP_HEADERS: ['secret-key', 'a b=c', 'host=elsewhere', 'key=%zz', 'key=%0d%0ax'],
  OTEL_METRIC_EXPORT_INTERVAL: ['0', '99', '1s'],
  OTEL_TRACES_SAMPLER_ARG: ['1.1', '-0.1', 'always_on', '.5'],
}

const rows = Object.entries(badValues).flatMap(([name, values]) =>
  values.map((value, index) => ({ name, number: index + 1, value })),
)

describe('a wrong value', () => {
  test.each(rows)('$name, $number', ({ name, value }) => {
    const message = refusalOf({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name} must be [^\\n]+\\.$`))
    const isSecret = about.get(variables.shape[name as keyof typeof badValues])?.isSecret
    if (isSecret || name.endsWith('_URL')) expect(message).not.toContain(value)
  })

  test('no word of a secret value is repeated', () => {
    const secrets = Object.entries(variables.shape).filter(([, schema]) => about.get(schema)?.isSecret)
    expect(secrets.length).toBeGreaterThan(10)
    for (const [name] of secrets) {
      const message = refusalOf({ [name]: '\u00fczqxj' })
      expect(message).toContain(name)
      expect(message).not.toContain('zqxj')
    }
  })
})

describe('a contradiction', () => {
  const without = (name: string): Environment => ({ ...distributed, [name]: '' })
  test.each<[string, Environment, string]>([
    [
      'a database alone',
      { DATABASE_URL: 'postgres://h/x' },
      'REDIS_URL is not set: distributed mode needs both DATABASE_URL and REDIS_URL.',
    ],
    [
      'a store alone',
      { REDIS_URL: 'redis://h' },
      'DATABASE_URL is not set: distributed mode needs both DATABASE_URL and REDIS_URL.',
    ],
    [
      'roles apart, embedded',
      { ROLE: 'api,worker' },
      'ROLE must be all in embedded mode: roles apart need DATABASE_URL and REDIS_URL.',
    ],
    [
      'one role less, embedded',
      { ROLE: 'api,gateway,inference' },
      'ROLE must be all in embedded mode: roles apart need DATABASE_URL and REDIS_URL.',
    ],
    ['no admin secret', without('ADMIN_SECRET'), 'ADMIN_SECRET is not set: it is required in distributed mode.'],
    ['no signing key', without('JWT_PRIVATE_KEY'), 'JWT_PRIVATE_KEY is not set: it is required in distributed mode.'],
    ['no encryption key', without('ENCRYPTION_KEY'), 'ENCRYPTION_KEY is not set: it is required in distributed mode.'],
    [
      'a gateway that leads nowhere',
      { ...distributed, ROLE: 'gateway' },
      'INFERENCE_URL is not set: a gateway without the inference role needs it.',
    ],
    [
      'an inference open to anybody',
      { ...distributed, ROLE: 'inference,worker' },
      'INTERNAL_SECRET is not set: an inference role without the gateway role needs it.',
    ],
    [
      'an e-mail alone',
      { ...distributed, BOOTSTRAP_EMAIL: 'a@h' },
      'BOOTSTRAP_PASSWORD is not set: BOOTSTRAP_EMAIL, BOOTSTRAP_PASSWORD belong together.',
    ],
    [
      'half an issuer',
      { SESSION_ISSUER: 'https://idp.example' },
      'SESSION_JWKS_URL is not set: SESSION_ISSUER, SESSION_JWKS_URL, SESSION_AUDIENCE belong together.',
    ],
    [
      'updates to nobody',
      { DNS_PROVIDER: 'rfc2136', DNS_TARGET: '192.0.2.1' },
      'DNS_RFC2136_SERVER is not set: DNS_PROVIDER rfc2136 needs it.',
    ],
    [
      'cloudflare without a token',
      { DNS_PROVIDER: 'cloudflare', DNS_TARGET: '192.0.2.1' },
      'CLOUDFLARE_API_TOKEN is not set: DNS_PROVIDER cloudflare needs it.',
    ],
    ['route53 without a target', { DNS_PROVIDER: 'route53' }, 'DNS_TARGET is not set: DNS_PROVIDER route53 needs it.'],
  ])('%s', (_, environment, sentence) => {
    expect(refusalOf(environment)).toBe(sentence)
  })

  test.each<[string, Environment]>([
    ['everything in one process', {}],
    ['all four roles by name', { ROLE: 'worker, inference ,API,gateway' }],
    ['distributed', distributed],
    ['an api alone', { ...distributed, ROLE: 'api' }],
    ['a gateway that forwards', { ...distributed, ROLE: 'gateway', INFERENCE_URL: 'http://inference:8080' }],
    ['an inference with a secret', { ...distributed, ROLE: 'inference', INTERNAL_SECRET: 's' }],
    ['gateway and inference together', { ...distributed, ROLE: 'gateway,inference' }],
    ['a password for admin@localhost', { BOOTSTRAP_PASSWORD: ' twelve chars ' }],
  ])('is none: %s', (_, environment) => {
    expect(refusalOf(environment)).toBe('accepted')
  })
})
