/**
 * A module of src/ from `npm run build`, which is what users run. Under tsx the service answers an eighth fewer requests,
 * because tsx names each function when it is created, also for every request.
 */
export const importBuilt = <Module>(path: string): Promise<Module> =>
  import(new URL(`../../dist/${path}`, import.meta.url).href)
