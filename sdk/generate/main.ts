// `npm run sdk:generate`: writes the types of the management client from the routes of this checkout, and builds the package.
import { writeFileSync } from 'node:fs'
import { describeManagement, typesFile } from './describe-management.ts'

writeFileSync(typesFile, await describeManagement())
await import('./build.ts')
