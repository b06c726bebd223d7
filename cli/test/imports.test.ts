// What is carried over from the configuration of LiteLLM and Portkey, and what is left with a reason.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { makeFolder, readCli, runCli } from './run-cli.ts'

const folder = makeFolder()

async function importFrom(kind: 'litellm' | 'portkey', text: string) {
  const file = join(folder, `${kind}.yaml`)
  writeFileSync(file, text)
  return (await readCli(['import', kind, file], {})) as {
    settings: Record<string, unknown>
    keys: { provider: string; variable: string | null; note: string | null }[]
    left: { what: string; why: string }[]
  }
}

const litellm = `
model_list:
  - model_name: chat
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY, weight: 3, timeout: 20 }
  - model_name: chat
    litellm_params: { model: gpt-4o-mini, api_key: os.environ/OPENAI_API_KEY, weight: 1, tpm: 1000 }
  - model_name: backup
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: sk-ant-literal }
  - model_name: vectors
    litellm_params: { model: openai/text-embedding-3-small }
  - model_name: fast
    litellm_params: { model: groq/llama, api_key: os.environ/GROQ_API_KEY }
litellm_settings:
  num_retries: 5
  cache: true
  cache_params: { type: redis, ttl: 300 }
  max_budget: 100
  budget_duration: 30d
  fallbacks: [{ chat: [backup] }]
  success_callback: [langfuse]
general_settings: { master_key: sk-1234 }
`

describe('from LiteLLM', () => {
  test('models, fallbacks, weights, retries, cache and budget are carried', async () => {
    const { settings } = await importFrom('litellm', litellm)
    expect(settings).toEqual({
      provider_model: 'openai/gpt-4o',
      routes: {
        targets: [
          { model: 'openai/gpt-4o', weight: 3, timeout_ms: 20_000 },
          { model: 'openai/gpt-4o-mini', weight: 1 },
          { model: 'anthropic/claude-sonnet-4-5' },
        ],
        strategy: 'fallback',
        retry: { attempts: 3 },
      },
      cache: { ttl_seconds: 300, scope: 'project' },
      budgets: [{ usd: 100, period: 'month' }],
    })
  })

  test('keys are named and never shown, and what is left has a reason', async () => {
    const { keys, left } = await importFrom('litellm', litellm)
    expect(keys).toMatchObject([
      { provider: 'openai', variable: 'OPENAI_API_KEY' },
      { provider: 'anthropic', variable: null, note: expect.stringContaining('rotate') },
    ])
    const text = JSON.stringify({ keys, left })
    for (const secret of ['sk-ant-literal', 'sk-1234']) expect(text).not.toContain(secret)
    const whats = left.map(({ what }) => what)
    for (const what of [
      'model_list: fast',
      'model_list: vectors (openai/text-embedding-3-small)',
      'model_list: chat: tpm',
    ]) {
      expect(whats).toContain(what)
    }
    expect(whats).toEqual(expect.arrayContaining(['litellm_settings.success_callback', 'general_settings.master_key']))
  })

  test('one group of models without fallbacks is divided by weight, and one model alone needs no routes', async () => {
    const group = (names: string[]) =>
      `model_list:\n${names.map(name => `  - { model_name: a, litellm_params: { model: ${name} } }`).join('\n')}`
    const several = await importFrom('litellm', group(['gpt-4o', 'gpt-4o-mini']))
    expect(several.settings).toMatchObject({ routes: { strategy: 'weighted' } })
    expect((await importFrom('litellm', group(['gpt-4o']))).settings).toEqual({ provider_model: 'openai/gpt-4o' })
  })
})

describe('from Portkey', () => {
  test('targets with weights, retries, timeout and cache are carried', async () => {
    const { settings, keys, left } = await importFrom(
      'portkey',
      JSON.stringify({
        strategy: { mode: 'loadbalance' },
        retry: { attempts: 2 },
        request_timeout: 5000,
        cache: { mode: 'semantic', max_age: 60 },
        targets: [
          { provider: '@openai-prod', override_params: { model: 'gpt-4o', max_tokens: 100 }, weight: 0.7 },
          { override_params: { model: '@anthropic-eu/claude-sonnet-4-5' }, weight: 0.3 },
          { provider: 'unheard', override_params: { model: 'x' } },
        ],
        input_guardrails: ['g1'],
      }),
    )
    expect(settings).toEqual({
      provider_model: 'openai/gpt-4o',
      routes: {
        targets: [
          { model: 'openai/gpt-4o', weight: 70, timeout_ms: 5000 },
          { model: 'anthropic/claude-sonnet-4-5', weight: 30, timeout_ms: 5000 },
        ],
        strategy: 'weighted',
        retry: { attempts: 2 },
      },
      cache: { ttl_seconds: 60, scope: 'project' },
    })
    expect(keys.map(({ provider }) => provider)).toEqual(['openai', 'anthropic'])
    expect(left.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        'targets[2]',
        'cache.mode: semantic',
        'input_guardrails',
        'targets[0].override_params.max_tokens',
      ]),
    )
  })

  test('one target without a strategy is the model', async () => {
    const { settings } = await importFrom('portkey', '{"provider":"openai","override_params":{"model":"gpt-4o"}}')
    expect(settings).toEqual({ provider_model: 'openai/gpt-4o' })
  })
})

test('the file is one that `apply` reads, and the report stands beside it', async () => {
  const [file, out] = [join(folder, 'config.yaml'), join(folder, 'out.yaml')]
  writeFileSync(file, litellm)
  const { code, stdout, stderr } = await runCli(['import', 'litellm', file, '--out', out])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toContain('sallyport providers set openai --from-env OPENAI_API_KEY')
  expect(stderr).toContain(`Next: sallyport diff ${out}`)
  expect(parse(readFileSync(out, 'utf8'))).toMatchObject({ settings: { provider_model: 'openai/gpt-4o' } })
  writeFileSync(file, 'model_list: [')
  expect(await runCli(['import', 'litellm', file, '--out', join(folder, 'none')])).toMatchObject({ code: 1 })
  expect(existsSync(join(folder, 'none'))).toBe(false)
})
