// The only file of the demo that imports the sandbox, a separate package. The build bundles it into this file.
export * from '../../packages/sandbox/src/index.js'
export { type SeededRandom, seededRandom } from '../../packages/sandbox/src/lib/seeded-random.js'
