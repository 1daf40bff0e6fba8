import { createContext } from "react";

/** Gets the bytes behind the address of a file part, as the signed-in person. */
export type FileSource = (url: string) => Promise<Blob>;

export const FileSourceContext = createContext<FileSource>(() => Promise.reject(new Error("nobody is signed in")));
