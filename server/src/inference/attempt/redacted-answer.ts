// Stands between a connection and the attempt that reads it, and removes from answers the secrets that the provider was
// sent. The attempt itself looks for them in errors, which are short, in every form.

import type { AnswerHeaders, Receiver } from '../../outbound/call.ts'
import type { OutboundFailure } from '../../outbound/failure.ts'
import type { ByteRedactor } from '../../providers/byte-redactor.ts'
import type { KnownSecrets } from '../../providers/known-secrets.ts'

export class RedactedAnswer implements Receiver {
  readonly #receiver: Receiver
  readonly #secrets: KnownSecrets
  #redactor: ByteRedactor | null = null

  constructor(receiver: Receiver, secrets: KnownSecrets) {
    this.#receiver = receiver
    this.#secrets = secrets
  }

  onResponse(status: number, headers: AnswerHeaders): void {
    if (status === 200) this.#redactor = this.#secrets.createByteRedactor()
    this.#receiver.onResponse(status, headers)
  }

  onData(chunk: Buffer): void {
    this.#receiver.onData(this.#redactor?.push(chunk) ?? chunk)
  }

  onEnd(): void {
    const rest = this.#redactor?.end()
    if (rest !== undefined && rest.length > 0) this.#receiver.onData(rest)
    this.#receiver.onEnd()
  }

  onFailure(failure: OutboundFailure): void {
    this.#receiver.onFailure(failure)
  }
}
