// Tests how the environment becomes configuration: defaults, and values that arrive read.
import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { variables } from '../../src/config/schema.ts'
import { distributed, jwk, key32, pem, refusalOf, signing } from './environments.ts'

describe('a good value', () => {
  test('nothing set is embedded mode with the documented defaults', () => {
    const config = loadConfig({})
    expect(config).toMatchObject({
      mode: 'embedded',
      databaseUrl: null,
      redisPrefix: 'sallyport:',
      answerCacheBytes: 67_108_864,
      listener: { port: 8080, host: '127.0.0.1', trustedProxies: [], bodyLimitBytes: 10_485_760 },
      addresses: {
        baseUrl: 'http://localhost:8080',
        publicDomain: 'localhost',
        internalDomain: 'dev.localhost',
        dashboardOrigin: 'http://localhost:8080',
        upgradeUrl: 'http://localhost:8080/upgrade',
        apiUrl: 'http://localhost:8080',
        inferenceUrl: null,
      },
      tokens: {
        keyId: 'default',
        issuer: 'http://localhost:8080',
        audience: 'service',
        jwksUrl: null,
        jwksCacheTtlMs: 300_000,
        mintPerMinute: 600,
      },
      upstream: { times: { timeoutMs: 120_000, idleTimeoutMs: 60_000, totalTimeoutMs: 900_000 } },
      syncIntervalMs: 15_000,
      configCacheTtlMs: 30_000,
      dns: { provider: 'none' },
      hasPages: true,
      logLevel: null,
    })
    expect([...config.roles]).toEqual(['api', 'gateway', 'inference', 'worker'])
    expect(config.providers.cohere).toEqual({ baseUrl: 'https://api.cohere.com/v2', platformKey: null })
  })

  test('an empty or blank value counts as unset', () => {
    const blank = Object.fromEntries(Object.keys(variables.shape).map((name, index) => [name, index % 2 ? '' : '  ']))
    expect(loadConfig({ ...blank, BOOTSTRAP_PASSWORD: '' })).toEqual(loadConfig({}))
  })

  test('the proxies may be given in lower case, which wins unless it is empty', () => {
    const upper = { HTTPS_PROXY: 'http://one:1', HTTP_PROXY: 'http://one:2', NO_PROXY: 'one.example' }
    const { proxies } = loadConfig({
      ...upper,
      https_proxy: 'http://two:1',
      http_proxy: ' ',
      no_proxy: '10.0.0.0/8',
    }).upstream
    expect([proxies.https?.host, proxies.http?.host]).toEqual(['two:1', 'one:2'])
    expect(proxies.exceptions).toMatchObject({ hosts: [], networks: [expect.anything()] })
    expect(loadConfig({ https_proxy: 'http://two:1' }).upstream.proxies.https?.host).toBe('two:1')
    expect(loadConfig({ all_proxy: 'http://two:1' })).toEqual(loadConfig({}))
    expect(loadConfig({ port: '1' }).listener).toEqual(loadConfig({}).listener)
    expect(refusalOf({ https_proxy: 'socks5://secret@two:1' })).toMatch(/^HTTPS_PROXY must be [^:]*\.$/)
  })

  test('the defaults follow PORT, BASE_URL and the mode', () => {
    expect(loadConfig({ PORT: '9000' }).tokens.issuer).toBe('http://localhost:9000')
    const config = loadConfig({ ...distributed, BASE_URL: 'HTTPS://Gate.Example:443/' })
    expect(config.listener.host).toBe('0.0.0.0')
    expect(config.addresses.baseUrl).toBe('https://gate.example')
    expect(config.addresses.upgradeUrl).toBe('https://gate.example/upgrade')
    expect(config.tokens.jwksUrl).toBeNull()
    const apart = {
      ...distributed,
      BASE_URL: 'https://gate.example',
      ROLE: 'gateway',
      INFERENCE_URL: 'http://127.0.0.1:1',
    }
    expect(loadConfig(apart).tokens.jwksUrl).toBe('https://gate.example/.well-known/jwks.json')
    const elsewhere = { JWKS_URL: 'https://keys.example/jwks' }
    expect(loadConfig(elsewhere).tokens.jwksUrl).toBe('https://keys.example/jwks')
  })

  test('a signing key comes as PEM, as PEM on one line, as base64 of PEM, in both PEM forms', () => {
    const pkcs1 = signing.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
    const forms = [pem, pkcs1, pem.replaceAll('\n', '\\n'), Buffer.from(pem).toString('base64')]
    for (const JWT_PRIVATE_KEY of forms) {
      expect(loadConfig({ JWT_PRIVATE_KEY }).secrets.jwtPrivateKey?.equals(signing.privateKey)).toBe(true)
    }
  })

  test.each(['a', 'acme-prod:', 'team_1/eu.west|#~*?:', 'x'.repeat(64)])(
    '%s stands before the keys in Redis',
    prefix => {
      expect(loadConfig({ ...distributed, REDIS_PREFIX: prefix }).redisPrefix).toBe(prefix)
    },
  )

  test('structured values arrive read', () => {
    const config = loadConfig({
      TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16 ,fd00::/8',
      JWT_PREVIOUS_KEYS: JSON.stringify([jwk('old')]),
      ENCRYPTION_PREVIOUS_KEYS: `${key32},${Buffer.alloc(32, 251).toString('base64url')}`,
      UPSTREAM_TIMEOUT: '0.25',
      MISTRAL_BASE_URL: 'http://127.0.0.1:9/v1/',
      PLATFORM_DEFAULT_MODEL: 'openrouter/meta-llama/llama-3.3-70b-instruct',
      DNS_PROVIDER: 'rfc2136',
      DNS_TARGET: 'edge.example.',
      DNS_RFC2136_SERVER: '[::1]:5353',
      DNS_RFC2136_ZONE: 'Example.com',
      DNS_RFC2136_KEY: 'hmac-sha256:update-key:c2VjcmV0',
      OUTBOUND_ALLOW: '127.0.0.1:9,models.internal,10.0.0.0/8',
    })
    expect(config.listener.trustedProxies).toEqual(['10.0.0.1/32', '192.168.0.0/16', 'fd00::/8'])
    expect(config.tokens.previousKeys).toEqual([{ ...jwk('old'), use: 'sig', alg: 'RS256' }])
    expect(config.secrets.encryptionPreviousKeys).toEqual([Buffer.alloc(32, 7), Buffer.alloc(32, 251)])
    expect(config.upstream.times.timeoutMs).toBe(250)
    expect([...config.upstream.outboundAllow.hosts]).toEqual(['127.0.0.1:9', 'models.internal'])
    expect(config.providers.mistral.baseUrl).toBe('http://127.0.0.1:9/v1')
    expect(config.dns).toEqual({
      provider: 'rfc2136',
      target: { type: 'CNAME', target: 'edge.example' },
      server: { host: '::1', port: 5353 },
      zone: 'example.com',
      key: { algorithm: 'hmac-sha256', name: 'update-key', secret: Buffer.from('secret') },
    })
  })
})

describe('PROCESSES', () => {
  test('is one by default, and auto is one for each available core', () => {
    expect(loadConfig({}).processes).toBe(1)
    expect(loadConfig({ PROCESSES: '64' }).processes).toBe(64)
    expect(loadConfig({ PROCESSES: 'auto' }).processes).toBe(Math.min(availableParallelism(), 64))
  })

  test('is one for a worker, whose jobs run once on a machine', () => {
    expect(loadConfig({ ...distributed, ROLE: 'worker', PROCESSES: '4' }).processes).toBe(1)
    expect(loadConfig({ ...distributed, ROLE: 'api,worker', PROCESSES: '4' }).processes).toBe(4)
  })
})
