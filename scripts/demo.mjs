// `npm run demo` in a checkout.
import { build, sayBuildError } from './building.mjs'

try {
  await build()
  const { default: load } = await import('../bin/load.cjs')
  await load('dist/main.js')
} catch (error) {
  sayBuildError(error)
}
