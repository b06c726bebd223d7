// The reason for a failed start, in one sentence for the operator. main.ts prints it on one line and exits with
// an error.

export class StartupProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartupProblem'
  }
}
