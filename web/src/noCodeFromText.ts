// The page's content policy forbids making code from text. The schema library would try, and be reported for it.
import { config } from "zod/v4/core";

config({ jitless: true });
