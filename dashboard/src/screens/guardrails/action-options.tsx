// What can be done with a type of personal data, as the options of a menu.
import { actionNames } from './names.ts'

export function ActionOptions() {
  return Object.entries(actionNames).map(([action, name]) => (
    <option key={action} value={action}>
      {name}
    </option>
  ))
}
