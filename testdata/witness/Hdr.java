// Hdr: HdrHistogram's own library, to check from outside what openload reads and
// writes of its logs.
//
//	java Hdr read FILE     prints "tag value count" for every value that has a count,
//	                       and "start tag from to" in ms for each interval
//	java Hdr write FILE    writes the "tag value count" lines of standard input, - for
//	                       no tag
import java.io.*;
import java.util.*;
import org.HdrHistogram.*;

public class Hdr {
    public static void main(String[] args) throws Exception {
        if (args[0].equals("read")) {
            read(args[1]);
        } else {
            write(args[1]);
        }
    }

    static void read(String file) throws Exception {
        HistogramLogReader log = new HistogramLogReader(file);
        while (log.hasNext()) {
            Histogram h = (Histogram) log.nextIntervalHistogram();
            if (h == null) {
                continue;
            }
            String tag = h.getTag() == null ? "-" : h.getTag();
            System.out.printf("start %s %d %d%n", tag, h.getStartTimeStamp(), h.getEndTimeStamp());
            for (HistogramIterationValue v : h.recordedValues()) {
                System.out.printf("%s %d %d%n", tag, v.getValueIteratedTo(), v.getCountAtValueIteratedTo());
            }
        }
    }

    static void write(String file) throws Exception {
        Map<String, Histogram> byTag = new LinkedHashMap<>();
        Scanner in = new Scanner(System.in);
        while (in.hasNext()) {
            String tag = in.next();
            Histogram h = byTag.computeIfAbsent(tag, t -> new Histogram(3600000000000L, 3));
            h.recordValueWithCount(in.nextLong(), in.nextLong());
        }
        HistogramLogWriter log = new HistogramLogWriter(file);
        log.outputLogFormatVersion();
        log.outputStartTime(1796004000000L);
        log.setBaseTime(1796004000000L);
        log.outputBaseTime(1796004000000L);
        log.outputLegend();
        for (Map.Entry<String, Histogram> e : byTag.entrySet()) {
            Histogram h = e.getValue();
            h.setStartTimeStamp(1796004000000L);
            h.setEndTimeStamp(1796004010000L);
            if (!e.getKey().equals("-")) {
                h.setTag(e.getKey());
            }
            log.outputIntervalHistogram(h);
        }
        log.close();
    }
}
