// Why the product refuses to start, in one sentence for the operator. main.ts prints it as one line and exits non-zero.
// Knows nothing of what was being started.

export class StartupProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartupProblem'
  }
}
