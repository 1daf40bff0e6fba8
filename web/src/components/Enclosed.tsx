import { useContext, useEffect, useState } from "react";
import { FileSourceContext } from "../attachments/fileSource";
import { type FilePart, filesOf, type ReplyMessage } from "../conversation/message";
import { Icon } from "./Icon";

/** The files that went along with a message. */
export function Enclosed({ message }: { message: ReplyMessage }) {
  const files = filesOf(message);
  if (files.length === 0) return null;
  return (
    <ul className="enclosed" aria-label="Files">
      {files.map((file) => (
        <li key={file.url}>{file.mediaType.startsWith("image/") ? <Picture file={file} /> : <Chip file={file} />}</li>
      ))}
    </ul>
  );
}

function Picture({ file }: { file: FilePart }) {
  const load = useContext(FileSourceContext);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    let left = false;
    load(file.url).then(
      (blob) => {
        if (left) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      // It may not be kept any more. Its name still says that it was there.
      () => undefined,
    );
    return () => {
      left = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [load, file.url]);
  if (url === undefined) return <Chip file={file} />;
  return <img className="enclosed-picture" src={url} alt={file.filename ?? "Picture"} />;
}

function Chip({ file }: { file: FilePart }) {
  const load = useContext(FileSourceContext);
  const [isGone, setGone] = useState(false);
  const name = file.filename ?? "File";
  const save = async () => {
    try {
      const url = URL.createObjectURL(await load(file.url));
      const link = Object.assign(document.createElement("a"), { href: url, download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } catch {
      setGone(true);
    }
  };
  return (
    <button type="button" className="enclosed-file" disabled={isGone} onClick={() => void save()}>
      <Icon name="file" size={18} />
      <span dir="auto">{name}</span>
      {isGone && <span className="hint">No longer kept</span>}
    </button>
  );
}
