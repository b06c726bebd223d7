// The forms of tokens and keys whose first characters name their issuer.

import { type FoundValue, scoreOfForm } from './found-value.ts'
import { isPlaceholder, isRandom } from './randomness.ts'

interface TokenForm {
  prefix: string
  /** Sticky; matches prefix and rest. */
  whole: RegExp
  /** The prefix alone is too common: the rest must look random. */
  isCommon: boolean
}

/** Prefix and rest of one issuer after another. Every quantifier has a maximum, so that reading is linear. */
const forms: readonly (readonly [prefixes: string, rest: string, isCommon?: true])[] = [
  // Model providers. `sk-` is OpenAI's, and many others'.
  ['sk-ant- sk-or-v1- sk-proj- sk-svcacct- sk-admin- sk-lf- sk-litellm-', '[A-Za-z0-9_-]{20,250}'],
  ['sk-', '[A-Za-z0-9_-]{20,250}', true],
  ['xai- csk- tvly- pplx- nvapi- fw_ gsk_ hf_ r8_ jina_ esecret_', '[A-Za-z0-9_-]{24,120}', true],
  ['AIza', '[A-Za-z0-9_-]{35}'],
  ['lsv2_pt_ lsv2_sk_', '[A-Za-z0-9_]{36,80}'],
  // Clouds.
  ['AKIA ASIA ABIA ACCA', '[A-Z2-7]{16}'],
  ['ABSK', '[A-Za-z0-9+/]{60,200}={0,2}', true],
  ['ya29.', '[A-Za-z0-9_-]{20,400}'],
  ['GOCSPX-', '[A-Za-z0-9_-]{28}'],
  ['dop_v1_ doo_v1_ dor_v1_', '[0-9a-f]{64}'],
  ['LTAI', '[A-Za-z0-9]{16,24}', true],
  ['tskey-auth- tskey-api- tskey-client- pul- fm2_ nfp_ HRKU- sbp_ sb_secret_', '[A-Za-z0-9_-]{28,200}', true],
  ['hvs. hvb. s.', '[A-Za-z0-9_-]{24,200}', true],
  ['dp.pt. dp.st. dp.ct. dp.sa.', '[A-Za-z0-9._-]{40,80}', true],
  // Code hosting and packages.
  ['ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9]{36,251}'],
  ['github_pat_', '[A-Za-z0-9]{22}_[A-Za-z0-9]{59}'],
  ['glpat- gldt- glrt- glcbt- glptt- glsoat- glft- glagent- gloas-', '[A-Za-z0-9_-]{20,120}'],
  ['npm_', '[A-Za-z0-9]{36}'],
  ['pypi-', '[A-Za-z0-9_-]{50,250}'],
  ['rubygems_', '[0-9a-f]{48}'],
  ['dckr_pat_ dckr_oat_', '[A-Za-z0-9_-]{27,60}'],
  ['cio', '[A-Za-z0-9]{32}', true],
  ['ATATT3 ATCTT3 ATBB', '[A-Za-z0-9_=-]{24,250}', true],
  ['sntrys_ sntryu_ lin_api_ figd_ ntn_ NRAK- glsa_ glc_ phx_ dapi', '[A-Za-z0-9_=-]{27,250}', true],
  // Messages and payments.
  ['xoxb- xoxa- xoxp- xoxr- xoxs- xoxe- xoxe.xoxp- xapp-', '[A-Za-z0-9-]{20,250}'],
  ['sk_live_ sk_test_ rk_live_ rk_test_ whsec_', '[A-Za-z0-9]{16,250}'],
  ['sk_', '[0-9a-f]{48}', true],
  ['SG.', '[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'],
  ['key-', '[0-9a-f]{32}', true],
  ['SK', '[0-9a-f]{32}', true],
  ['shpat_ shpca_ shppa_ shpss_', '[0-9a-fA-F]{32}'],
  ['sq0atp- sq0csp-', '[A-Za-z0-9_-]{22,43}'],
  ['pat', '[A-Za-z0-9]{14}\\.[0-9a-f]{64}', true],
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{58}'],
]

/** By the first two characters. The longest prefix comes first. */
const formsByStart = new Map<number, TokenForm[]>()
/** Whether a form begins with these two characters; nearly no word of a text does. */
const isStart = new Uint8Array(1 << 14)
for (const [prefixes, rest, isCommon] of forms) {
  for (const prefix of prefixes.split(' ')) {
    const whole = new RegExp(`${prefix.replaceAll('.', '\\.')}${rest}(?![A-Za-z0-9])`, 'y')
    const start = startOf(prefix, 0)
    const same = formsByStart.get(start) ?? []
    isStart[start] = 1
    formsByStart.set(start, [...same, { prefix, whole, isCommon: isCommon === true }])
  }
}
for (const same of formsByStart.values()) same.sort((one, other) => other.prefix.length - one.prefix.length)

/** The token that begins here, or null. */
export function findTokenAt(text: string, at: number): FoundValue | null {
  const first = startOf(text, at)
  if (isStart[first] !== 1) return null
  for (const { prefix, whole, isCommon } of formsByStart.get(first) ?? []) {
    if (!text.startsWith(prefix, at)) continue
    whole.lastIndex = at
    const token = whole.exec(text)?.[0]
    if (token === undefined) continue
    const rest = token.slice(prefix.length)
    if (isPlaceholder(rest) || (isCommon && !isRandom(rest))) return null
    return { start: at, end: at + token.length, score: scoreOfForm }
  }
  return null
}

/** Beyond the table for other characters than ASCII. */
function startOf(text: string, at: number): number {
  return (text.charCodeAt(at) << 7) + text.charCodeAt(at + 1)
}

const azureSecret = /[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/y

/** A client secret of Microsoft Entra, whose `Q~` is here. */
export function findAzureSecret(text: string, mark: number): FoundValue | null {
  const start = mark - 4
  if (start < 0) return null
  azureSecret.lastIndex = start
  const secret = azureSecret.exec(text)?.[0]
  return secret === undefined || isPlaceholder(secret)
    ? null
    : { start, end: start + secret.length, score: scoreOfForm }
}

const telegramBot = /[0-9]{8,10}$/
const telegramSecret = /:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y

/** A bot's token of Telegram, whose colon is here. */
export function findTelegramToken(text: string, colon: number): FoundValue | null {
  telegramSecret.lastIndex = colon
  const secret = telegramSecret.exec(text)?.[0]
  if (secret === undefined || isPlaceholder(secret)) return null
  const bot = telegramBot.exec(text.slice(Math.max(0, colon - 11), colon))?.[0]
  return bot === undefined ? null : { start: colon - bot.length, end: colon + secret.length, score: scoreOfForm }
}
