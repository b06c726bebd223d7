// Tests variables of the environment as the whole product takes them: those that it does not read and that were
// probably meant for it, and the plan of new tenants.
import { expect, test } from 'vitest'
import { describeEachBackend } from '../support/management-harness.ts'

describeEachBackend('variables of the environment', start => {
  test('a misspelt one and the key of a client are one line each, without any value', async () => {
    const env = {
      PUBLIC_DOMIAN: 'app.example',
      UPSTREAM_TIMEOUTS: '7',
      OPENAI_API_KEY: 'sk-not-to-be-shown',
      CI_JOB: '1',
    }
    const plane = await start({ own: 'process', env })
    const stderr = plane.product.stderr()
    const lines = stderr.split('\n').filter(line => line.includes('"variables":'))
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      {
        level: 'warn',
        event: 'unknown environment variables, the likely names are',
        variables: ['PUBLIC_DOMIAN', 'UPSTREAM_TIMEOUTS'],
        instead: ['PUBLIC_DOMAIN', 'UPSTREAM_TIMEOUT'],
      },
      {
        level: 'warn',
        event: 'keys of providers are not read from these variables',
        variables: ['OPENAI_API_KEY'],
        instead: ['PLATFORM_OPENAI_API_KEY'],
      },
    ])
    for (const value of ['app.example', 'sk-not-to-be-shown']) expect(stderr).not.toContain(value)
  })

  test('a bound in dollars on a default model without a price is a warning, with a price or without a bound none', async () => {
    const warns = async (env: Record<string, string>) => {
      const { product } = await start({ own: true, env })
      return product.stderr().includes('the default model has no price, so the bound in dollars refuses every request')
    }
    const bound = { PLATFORM_TENANT_USD_PER_DAY: '5' }
    const unpriced = { PLATFORM_DEFAULT_MODEL: 'cohere/c4ai-aya-vision-32b' }
    expect(await warns({ ...bound, ...unpriced })).toBe(true)
    expect(await warns({ ...bound, PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini' })).toBe(false)
    expect(await warns(unpriced)).toBe(false)
  })

  test('DEFAULT_PLAN is the plan of new tenants, free by default', async () => {
    const planOf = async (env: Record<string, string>) => {
      const { call, owner, makeTenant } = await start({ own: true, env })
      const { id } = await makeTenant()
      const { body } = await call('GET', `/auth/v1/tenants/${id}`, { session: owner.session })
      return (body as { plan: string }).plan
    }
    expect([await planOf({}), await planOf({ DEFAULT_PLAN: 'pro' })]).toEqual(['free', 'pro'])
  })
})
