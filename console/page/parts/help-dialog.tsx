import { useEffect, useRef } from 'preact/hooks';
import { isHelpOpen, SHORTCUTS } from './keyboard.ts';

export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>Times are in the zone of their connection; rest the pointer on one to see your own.</p>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
