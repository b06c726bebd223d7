// Errors as JSON can carry them between threads and processes: name, message, codes and causes. Imports nothing: the
// thread of the database loads it too.

export interface CarriedError {
  name: string
  message: string
  code?: unknown
  /** SQLite's own. */
  errcode?: unknown
  cause?: CarriedError
}

const classes: Readonly<Record<string, ErrorConstructor>> = { RangeError, TypeError, SyntaxError }

export function carryError(error: unknown): CarriedError {
  if (!(error instanceof Error)) return { name: 'Error', message: 'something other than an error was thrown' }
  const { name, message, cause } = error
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return { name, message, code, errcode, ...(cause instanceof Error ? { cause: carryError(cause) } : {}) }
}

/** The error has the class of the runtime that its name says, if callers tell that class apart. */
export function uncarryError({ name, message, code, errcode }: CarriedError, cause?: Error): Error {
  const error = new (classes[name] ?? Error)(message, { cause })
  if (code !== undefined) Object.assign(error, { code })
  if (errcode !== undefined) Object.assign(error, { errcode })
  return error
}
