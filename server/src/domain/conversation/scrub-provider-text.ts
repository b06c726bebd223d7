// Removes keys, parts of keys, e-mail addresses, and organisation, project, account and user ids from a
// provider's message. End users see the message and must not learn them.

const maxLength = 2_000

const secrets: readonly [RegExp, string][] = [
  // Keys, complete or partly masked by stars or dots.
  [/\b(?:sk|pk|rk|xai|gsk)-[\w*.…-]{4,}/gi, '[key]'],
  [/\bservice_sk_live_[\w*]*/gi, '[key]'],
  [/\b(?:AIza|AQ\.|ya29\.)[\w*.-]{6,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, '[key]'],
  [/\bBearer\s+[\w.*~+/=-]{6,}/gi, 'Bearer [key]'],
  [/\beyJ[\w-]{6,}\.[\w-]+\.[\w-]*/g, '[key]'],
  [/[\w-]*\*{3,}[\w*-]*/g, '[key]'],
  [/\b(api[ _-]?key(?: provided)?["']?\s*[:=]\s*["']?)[^\s"',;]{4,}/gi, '$1[key]'],
  // Ids and addresses of the key's owner.
  [
    /\b(?:org|proj|user|acct|account|team|workspace|wrkspc|cus|sub)[-_](?=[A-Za-z0-9]*[0-9A-Z])[A-Za-z0-9]{6,}\b/g,
    '[id]',
  ],
  [
    /\b(organization|organisation|project|account|user|workspace)(\s+(?:id\s*)?[:=]?\s*)["'`]?(?=[\w-]*\d)[\w-]{8,}["'`]?/gi,
    '$1$2[id]',
  ],
  [/\barn:aws[\w-]*:[^\s"'`,;)]+/g, '[arn]'],
  [/\bprojects\/[\w-]+/g, 'projects/[id]'],
  [/[\w.+-]+@[\w-]+\.[\w.-]+\w/g, '[address]'],
]

export function scrubProviderText(text: string): string {
  let scrubbed = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  for (const [pattern, replacement] of secrets) scrubbed = scrubbed.replace(pattern, replacement)
  return scrubbed
}
