// `npm run build` makes `dist` unless it is already the build of these sources; `--force` always builds. `--lay-out`
// makes it a folder instead of a link, as packages and images need.
import { build, layOut, sayBuildError } from './building.mjs'

const options = process.argv.slice(2)
try {
  await build({ force: options.includes('--force') })
  if (options.includes('--lay-out')) await layOut()
} catch (error) {
  sayBuildError(error)
}
