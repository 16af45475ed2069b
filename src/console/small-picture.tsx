import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { SMALL_ENDING } from '../interface/small-picture.ts'
import { isUploadGone } from './api.ts'
import { isWebUrl } from './navigation.ts'
import { useRead } from './use-read.ts'
import './small-picture.css'

/** Returns the address of an upload's small picture; undefined for files on other servers. */
export const smallAddressOf = (url: string): string | undefined =>
  /\/media\/[\w-]+\/[\w-]+\.\w+$/.test(url) && isWebUrl(url) && new URL(url).origin === location.origin
    ? url + SMALL_ENDING
    : undefined

/** Returns true once the service reports that the upload is gone. Asks it only if `isAsked`. */
export const useIsGone = (url: string, isAsked: boolean): boolean =>
  useRead({
    queryKey: ['gone', url],
    queryFn: () => isUploadGone(url),
    enabled: isAsked && smallAddressOf(url) !== undefined,
    retry: false,
  }).data === true

interface SmallPictureProps {
  url: string
  isVideo: boolean
  class: string
  /** The length of its longer side on the screen. */
  pixels: number
  /** Drawn over a video's poster, or shown by itself if there is none. */
  sign: ComponentChildren
  /** Shown instead of a picture that fails to load. */
  none?: ComponentChildren
}

/**
 * A thumbnail of an image or video for lists, loaded when it scrolls into view and cached by the browser. The service sends
 * the image itself if it has no small version. It adds nothing to the text beside it, so its `alt` is empty.
 */
export function SmallPicture({ url, isVideo, class: name, pixels, sign, none = null }: SmallPictureProps) {
  const [failed, setFailed] = useState<string>()
  const src = smallAddressOf(url) ?? (isVideo ? undefined : url)
  const picture = src !== undefined && failed !== src && (
    <img
      class={isVideo ? '' : name}
      src={src}
      alt=""
      width={pixels}
      height={pixels}
      loading="lazy"
      decoding="async"
      draggable={false}
      referrerpolicy="no-referrer"
      onError={() => setFailed(src)}
    />
  )
  if (!isVideo) return picture || none
  return (
    <span class={`poster ${name}`}>
      {picture}
      {sign}
    </span>
  )
}

/** Returns a video's poster; undefined while loading, null if there is none. */
export function usePoster(url: string): string | null | undefined {
  const address = smallAddressOf(url)
  const [found, setFound] = useState<{ address: string; poster: string | null }>()
  useEffect(() => {
    if (address === undefined) return
    const image = new Image()
    image.onload = () => setFound({ address, poster: address })
    image.onerror = () => setFound({ address, poster: null })
    image.src = address
    return () => {
      image.onload = null
      image.onerror = null
    }
  }, [address])
  if (address === undefined) return null
  return found?.address === address ? found.poster : undefined
}
