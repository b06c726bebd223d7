// The allow-list of a log line: a fixed event text and the fields named here. `log/log.ts` writes the lines and
// drops any value that does not match its field.

/** Field → the shape its value must have. A new field is one row here. */
export const logFields = {
  // Ids that the service generated
  request_id: 'id',
  tenant_id: 'id',
  project_id: 'id',
  user_id: 'id',
  key_id: 'id',

  // Requests
  plane: 'word',
  method: 'word',
  route: 'route',
  status: 'number',
  duration_ms: 'number',
  aborted: 'boolean',

  /** Only of a form that can be an origin of `cors_origins`. */
  origin: 'origin',

  // The process and its components
  role: 'word',
  roles: 'words',
  mode: 'word',
  signal: 'word',
  store: 'word',
  job: 'word',
  provider: 'word',
  endpoint: 'word',
  state: 'word',
  reason: 'word',
  reasons: 'words',
  code: 'code',
  bind: 'address',
  port: 'number',
  pid: 'number',
  version: 'version',
  /** Another process of this machine; the number of the own one is in each line. */
  about_process: 'number',
  exit_code: 'number',

  /** Names of environment variables, and those that were probably meant. */
  variables: 'variables',
  instead: 'variables',

  // Measures
  attempt: 'number',
  count: 'number',
  bytes: 'number',
  revision: 'number',
  delay_ms: 'number',

  /** Reduced to name, code, stack frames and causes: error messages may contain secrets and personal data. */
  error: 'error',
} as const

interface Values {
  id: string
  word: string
  words: readonly string[]
  variables: readonly string[]
  route: string
  code: string
  address: string
  origin: string
  version: string
  number: number
  boolean: boolean
  error: unknown
}

export type LogFieldKind = keyof Values

export type LogFields = { [Name in keyof typeof logFields]?: Values[(typeof logFields)[Name]] | undefined }

/** `event` is a fixed text; values that vary belong in the fields. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}
