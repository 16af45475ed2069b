// `npm run build` makes `dist`, if it is not the build of these sources already; `--force` makes it in any case. `--lay-out`
// makes it a folder of its own instead of a link, as it is in the package and in an image.
import { build, layOut, sayBuildError } from './building.mjs'

const options = process.argv.slice(2)
try {
  await build({ force: options.includes('--force') })
  if (options.includes('--lay-out')) await layOut()
} catch (error) {
  sayBuildError(error)
}
