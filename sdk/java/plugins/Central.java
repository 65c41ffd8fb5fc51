import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;

/**
 * Checks a folder that `mvn deploy` has filled for what Maven Central refuses a deployment:
 * {@code java Central.java FOLDER}. Signatures are made at a release, with the project's key.
 */
public final class Central {
  private static final String GROUP = "dev.riposte";
  private static final List<String> REQUIRED = List.of("modelVersion", "groupId", "artifactId", "version", "name",
      "description", "url", "licenses/license/name", "licenses/license/url", "developers/developer/name",
      "developers/developer/email", "scm/connection", "scm/developerConnection", "scm/url");

  private final List<String> faults = new ArrayList<>();
  private int artifacts;

  public static void main(String[] arguments) throws Exception {
    Central central = new Central();
    try (Stream<Path> files = Files.walk(Path.of(arguments[0]))) {
      for (Path pom : files.filter(path -> path.toString().endsWith(".pom")).sorted().toList()) {
        central.check(pom);
      }
    }
    central.faults.forEach(System.out::println);
    System.out.println(central.artifacts + " artifacts, " + central.faults.size() + " faults");
    System.exit(central.artifacts == 0 || !central.faults.isEmpty() ? 1 : 0);
  }

  private void check(Path pom) throws Exception {
    artifacts++;
    Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    XPath paths = XPathFactory.newInstance().newXPath();
    for (String field : REQUIRED) {
      String value = paths.evaluate("/project/" + field, document).trim();
      need(!value.isEmpty() && !value.contains("${"), pom, "has no " + field);
    }
    need(paths.evaluate("/project/groupId", document).equals(GROUP), pom, "is not of the group " + GROUP);
    need(paths.evaluate("/project/parent", document).isEmpty(), pom, "has a parent, which is not deployed");
    need(!paths.evaluate("/project/version", document).contains("SNAPSHOT"), pom, "has no version of a release");
    for (String kind : List.of("md5", "sha1")) {
      need(Files.exists(Path.of(pom + "." + kind)), pom, "has no " + kind);
    }
    String stem = pom.toString().substring(0, pom.toString().length() - ".pom".length());
    if (!paths.evaluate("/project/packaging", document).equals("pom")) {
      for (String jar : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
        jar(Path.of(stem + jar), jar.equals("-javadoc.jar") ? "index.html" : jar.equals(".jar") ? ".class" : ".java");
      }
    }
  }

  /** A jar, which holds a file of this kind. */
  private void jar(Path jar, String holds) throws Exception {
    if (!Files.exists(jar)) {
      faults.add(jar + " is missing");
      return;
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      need(zip.stream().anyMatch(entry -> entry.getName().endsWith(holds)), jar, "holds no " + holds);
    }
    for (String kind : List.of("md5", "sha1")) {
      need(Files.exists(Path.of(jar + "." + kind)), jar, "has no " + kind);
    }
  }

  private void need(boolean holds, Path file, String fault) {
    if (!holds) {
      faults.add(file + " " + fault);
    }
  }
}
