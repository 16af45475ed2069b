// The demo's only way to the sandbox, which is a package of its own: the build bundles it into this file.
export * from '../../packages/sandbox/src/index.js'
export { type SeededRandom, seededRandom } from '../../packages/sandbox/src/lib/seeded-random.js'
