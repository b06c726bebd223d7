// Credentials that no scanner of repositories takes for a leak: they are made up, and assembled here.

const digits = '0123456789'
export const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
export const hex = `${digits}abcdef`
export const mixed = digits + lower + upper
export const base64 = `${mixed}+/`

/** The same characters each time, without a pattern. */
export function random(alphabet: string, length: number, seed = 7): string {
  let state = seed
  let text = ''
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647
    text += alphabet[state % alphabet.length]
  }
  return text
}

export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
export const jwt = [encode({ alg: 'ES256', typ: 'JWT' }), encode({ sub: 'u-1' }), random(mixed, 86)].join('.')
export const pem = (label: string, between = '\n') =>
  [`-----BEGIN ${label}-----`, ...Array.from({ length: 26 }, (_, line) => random(base64, 64, line + 3))]
    .concat(`-----END ${label}-----`)
    .join(between)

export const tokens: readonly (readonly [issuer: string, token: string])[] = [
  ['OpenAI, project', `sk-${'proj-'}${random(mixed, 74)}_${random(mixed, 74)}`],
  ['OpenAI, old', `sk-${random(mixed, 48)}`],
  ['Anthropic', `sk-${'ant-api03-'}${random(mixed, 93)}AA`],
  ['OpenRouter', `sk-${'or-v1-'}${random(hex, 64)}`],
  ['DeepSeek', `sk-${random(hex, 32)}`],
  ['Google', `AI${'za'}${random(mixed, 35)}`],
  ['xAI', `xa${'i-'}${random(mixed, 80)}`],
  ['Groq', `gs${'k_'}${random(mixed, 52)}`],
  ['Hugging Face', `h${'f_'}${random(mixed, 34)}`],
  ['AWS', `AK${'IA'}${random(`${upper}234567`, 16)}`],
  ['Azure', `${random(mixed, 3)}8${'Q~'}${random(mixed, 34)}`],
  ['Google OAuth', `GOC${'SPX-'}${random(mixed, 28)}`],
  ['GitHub', `gh${'p_'}${random(mixed, 36)}`],
  ['GitHub, fine-grained', `github${'_pat_'}${random(mixed, 22)}_${random(mixed, 59)}`],
  ['GitLab', `gl${'pat-'}${random(mixed, 20)}`],
  ['Slack', `xo${'xb-'}${random(digits, 12)}-${random(digits, 13)}-${random(mixed, 24)}`],
  ['Stripe', `sk_${'live_'}${random(mixed, 24)}`],
  ['webhook secret', `wh${'sec_'}${random(mixed, 32)}`],
  ['npm', `np${'m_'}${random(mixed, 36)}`],
  ['PyPI', `py${'pi-'}AgEIcHlwaS5vcmc${random(mixed, 120)}`],
  ['SendGrid', `S${'G.'}${random(mixed, 22)}.${random(mixed, 43)}`],
  ['Telegram', `${random('123456789', 10)}:${'AA'}${random(mixed, 33)}`],
  ['DigitalOcean', `do${'p_v1_'}${random(hex, 64)}`],
  ['Shopify', `sh${'pat_'}${random(hex, 32)}`],
  ['JWT', jwt],
  ['private key', pem('RSA PRIVATE KEY')],
  ['OpenSSH key', pem('OPENSSH PRIVATE KEY')],
  ['private key in JSON', pem('PRIVATE KEY', '\\n')],
]
