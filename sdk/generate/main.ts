// `npm run sdk:generate`: writes the types of the management client from the routes of this checkout.
import { writeFileSync } from 'node:fs'
import { describeManagement, typesFile } from './describe-management.ts'

writeFileSync(typesFile, await describeManagement())
