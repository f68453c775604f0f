import { useEffect, useState } from 'preact/hooks';

/** In CSS pixels; the style sheet draws rows as high. */
const WIDE_ROW = 38;
const NARROW_ROW = 74;

/** Rows of a narrow window have two lines for a sentence. */
export function useRowHeight(): number {
  const [media] = useState(() => window.matchMedia('(max-width: 700px)'));
  const [isNarrow, setNarrow] = useState(media.matches);
  useEffect(() => {
    const follow = () => setNarrow(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [media]);
  return isNarrow ? NARROW_ROW : WIDE_ROW;
}
