// Checks the address of a project's external recogniser against the rules for private networks, when it is stored.

import type { JsonObject } from '../../domain/json-object.ts'
import { ownValue } from '../../domain/json-object.ts'
import { checkSettingsField } from '../../domain/settings/settings-rules.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { getAllowedAddress } from '../plane/allowed-address.ts'

/** A value of another form is left to the settings' own check. */
export async function checkRecogniser(outbound: Pick<Outbound, 'check'>, values: JsonObject): Promise<void> {
  const outcome = checkSettingsField('recogniser_url', ownValue(values, 'recogniser_url'), () => false)
  if (outcome.ok) await getAllowedAddress(outbound, outcome.value)
}
